"""Screenshots of eight views of the web UI over the examples: two widths, light and dark; some in docs."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "tests" / "languages" / "screenshots.mjs"
BUILT = ROOT / "build" / "screenshots"
COMMAND = str(Path(sys.executable).with_name("vcontract"))
KEPT = ROOT / "docs" / "screenshots"
"""The wide, light picture of each view; README shows the one of a search."""


def main() -> None:
    """Write the pictures of all views, or of those named, and those of docs in their places."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        raise SystemExit("chromium is not installed; on Debian: apt-get install chromium")
    BUILT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="vcontract-screenshots-", ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, "HOME": folder, "VCONTRACT_DATA_DIR": f"{folder}/data"}
        for arguments in (("import", "--examples"), ("embed",)):
            subprocess.run([COMMAND, *arguments], env=environment, check=True, capture_output=True)  # noqa: S603
        _picture(browser, environment, "full")
        _picture(browser, environment, "empty", "--tenant", "nobody")
    KEPT.mkdir(exist_ok=True)
    for picture in BUILT.glob("*-light-1280.png"):
        shutil.copy(picture, KEPT / picture.name.replace("-light-1280", ""))


def _picture(browser: str, environment: dict[str, str], views: str, *options: str) -> None:
    command = [COMMAND, "browse", "--no-open", *options]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            script = ["node", str(SCRIPT), browser, address, str(BUILT), views, *sys.argv[1:]]
            subprocess.run(script, env=environment, check=True)  # noqa: S603
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
