"""`python -m vcontract.codegen`: generate, scaffold, breaking, release, rules, report, lints."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from vcontract.codegen import emitters
from vcontract.codegen.compat import verdict as gate
from vcontract.codegen.compat.report import REPORTS, breaking, problems_report
from vcontract.codegen.compat.rules import RULES_FILE
from vcontract.codegen.compat.verdict import NoStateError, verdict_of
from vcontract.codegen.generate import generate_files
from vcontract.codegen.lints import LINTS, STRUCTURAL
from vcontract.codegen.load import LOAD_CHECKS, load_spec
from vcontract.codegen.output import differences, write
from vcontract.codegen.problems import SpecError
from vcontract.codegen.report.changes import changes_of
from vcontract.codegen.report.page import page
from vcontract.codegen.resolve import resolve
from vcontract.codegen.scaffold import ScaffoldError, stub_for
from vcontract.codegen.validate import load_sound_spec

OUT_OF_DATE = "generated/ is out of date; run: make generate"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns 0, or 1 when the spec has problems, generated/ is out of date, or the contract breaks what
    was promised; 2 when there is nothing to compare it with.
    """
    options = _parser().parse_args(arguments)
    root: Path = options.root
    try:
        match options.command:
            case "lints":
                return _lints(root)
            case "scaffold":
                return _scaffold(root, options.tool)
            case "breaking":
                return _breaking(root, options.against, options.format)
            case "release":
                return _release(root, options.again)
            case "rules":
                print(RULES_FILE.read_text(encoding="utf-8"), end="")
                return 0
            case "report":
                return _report(root, options.against, options.output)
            case _:
                return _check(root) if options.check else _generate(root)
    except SpecError as error:
        print(error, file=sys.stderr)
        count = len(error.problems)
        print(f"{count} problem{'' if count == 1 else 's'} in the spec; nothing was written", file=sys.stderr)
        return 1
    except (ScaffoldError, gate.ReleaseError) as error:
        print(error, file=sys.stderr)
        return 1
    except NoStateError as error:
        print(error, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m vcontract.codegen", description="From spec/ to generated/."
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(__file__).resolve().parents[1],
        help="the folder that holds spec/, generated/ and handlers/ (this repository)",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    generate = commands.add_parser("generate", help="write generated/")
    generate.add_argument(
        "--check", action="store_true", help="write nothing; fail when generated/ is out of date"
    )
    scaffold = commands.add_parser("scaffold", help="print the stub of a tool's handler")
    scaffold.add_argument("tool", metavar="TOOL", help="a tool that the spec has")
    breaking = commands.add_parser("breaking", help="compare the contract with what was promised")
    breaking.add_argument(
        "--against",
        metavar="REF",
        help="a git ref, a released file, or a folder with spec/ in it (the last release)",
    )
    breaking.add_argument("--format", choices=sorted(REPORTS), default="text", help="what to print (text)")
    release = commands.add_parser("release", help="keep the contract as what its version promises")
    release.add_argument(
        "--again", action="store_true", help="write a version anew that nobody has yet, as before its tag"
    )
    commands.add_parser("rules", help="print every rule of the gate")
    report = commands.add_parser("report", help="write the contract as one HTML page for people")
    report.add_argument(
        "--against",
        metavar="REF",
        help="also show what changed since a git ref, a released contract, or such a folder",
    )
    report.add_argument("--output", type=Path, required=True, metavar="FILE", help="the page to write")
    commands.add_parser("lints", help="list the rules of the spec")
    return parser


def _generate(root: Path) -> int:
    spec = load_sound_spec(root)
    files = generate_files(spec)
    changed = write(files, root / "generated")
    for path in changed:
        print(f"generated/{path}")
    print(f"{len(files)} files, {len(changed)} changed")
    return 0


def _check(root: Path) -> int:
    spec = load_sound_spec(root)
    diff = differences(generate_files(spec), root / "generated")
    if not diff:
        return 0
    print(diff, end="")
    print(OUT_OF_DATE, file=sys.stderr)
    return 1


def _scaffold(root: Path, tool: str) -> int:
    spec = load_sound_spec(root)
    print(stub_for(resolve(spec), tool, root), end="")
    return 0


def _breaking(root: Path, against: str | None, form: str) -> int:
    try:
        report, passes = breaking(root, against, form)
    except SpecError as error:
        print(problems_report(error.problems, form), end="")
        raise
    print(report, end="")
    return 0 if passes else 1


def _release(root: Path, again: bool) -> int:
    changed = gate.release(root, again)
    for path in changed:
        print(path)
    print(f"{len(changed)} files changed")
    return 0


def _report(root: Path, against: str | None, output: Path) -> int:
    spec = load_sound_spec(root)
    changes = changes_of(verdict_of(root, spec, against)) if against else None
    text = page(resolve(spec), changes)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text, encoding="utf-8")
    print(f"{output}: {len(text.encode()):,} bytes")
    return 0


def _lints(root: Path) -> int:
    known = (*STRUCTURAL, *LINTS, *emitters.LINTS, *emitters.lints_of(load_spec(root)))
    rules = {**LOAD_CHECKS, **{lint.id: lint.purpose for lint in known}}
    width = max(len(name) for name in rules)
    for name, purpose in rules.items():
        print(f"{name:<{width}}  {purpose}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
