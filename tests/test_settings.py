"""Settings: where they come from, and that each explains itself."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from docs import settings_page
from tests.sweep import sweep
from vcontract.runtime.settings import Settings
from vcontract.runtime.settings.variables import UnreadableEnvFile, Variables


def test_every_setting_has_a_description() -> None:
    undescribed = [name for name, field in Settings.model_fields.items() if not field.description]

    assert undescribed == []


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("VCONTRACT_TOOLSETS", "contract, vcon", "toolsets", ("contract", "vcon")),
        ("VCONTRACT_TOOLS", "vcon_fetch,", "tools", ("vcon_fetch",)),
        ("VCONTRACT_EXCLUDE_TOOLS", "", "exclude_tools", ()),
        ("VCONTRACT_READ_ONLY", "true", "read_only", True),
        ("VCONTRACT_RATE_LIMITS", "off", "rate_limits", None),
        ("VCONTRACT_RATE_LIMITS", "search=200, create=5", "rate_limits", {"search": 200, "create": 5}),
        ("VCONTRACT_LOG_LEVEL", "warning", "log_level", "warning"),
    ],
)
def test_a_setting_is_read_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, variable: str, text: str, name: str, value: object
) -> None:
    monkeypatch.setenv(variable, text)

    assert getattr(Settings.load(), name) == value


@sweep("name", list(Settings.model_fields))
def test_an_empty_setting_is_not_set(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    usual = getattr(Settings.load(), name)
    monkeypatch.setenv(f"VCONTRACT_{name.upper()}", "")

    nothing = {"session_allowed_roots": ()}
    assert getattr(Settings.load(), name) == nothing.get(name, usual)


@pytest.mark.parametrize("limits", ["search", "search=0", "search=many"])
def test_a_rate_limit_that_is_no_number_of_calls_is_refused(
    monkeypatch: pytest.MonkeyPatch, limits: str
) -> None:
    monkeypatch.setenv("VCONTRACT_RATE_LIMITS", limits)

    with pytest.raises(ValidationError):
        Settings.load()


@pytest.mark.parametrize(
    "name",
    [name for name in Settings.model_fields if name.endswith("_url")] + ["oauth_issuer", "oauth_audience"],
)
def test_an_address_that_cannot_be_taken_apart_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("VCONTRACT_DATABASE_URL", "postgresql://db/calls")
    monkeypatch.setenv(f"VCONTRACT_{name.upper()}", "https://ann:a-password@[db/calls")

    with pytest.raises(ValidationError) as refused:
        Settings.load()
    (fault,) = refused.value.errors(include_input=False, include_url=False)
    assert fault["loc"] == (name,)
    assert "is not a valid address" in fault["msg"]
    assert "a-password" not in fault["msg"]


def test_an_env_file_is_read_only_when_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("VCONTRACT_POOL_SIZE=3\n")
    monkeypatch.chdir(tmp_path)

    assert Settings.load().pool_size == 8
    assert Settings.load(tmp_path / ".env").pool_size == 3


def test_a_named_env_file_that_is_absent_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is not a file"):
        Settings.load(tmp_path / "absent.env")


def test_a_given_setting_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VCONTRACT_READ_ONLY", "false")

    assert Settings.load(read_only=True).read_only


def test_settings_cannot_be_changed() -> None:
    settings = Settings.load()

    with pytest.raises(ValidationError):
        settings.read_only = True  # pyright: ignore[reportAttributeAccessIssue]


SECRET = [name for name in Settings.model_fields if name.endswith("_key") or name == "database_url"]


@pytest.mark.parametrize("name", SECRET)
def test_a_secret_does_not_show_in_print(name: str) -> None:
    settings = Settings.model_validate({name: "postgresql://u:pa55@h/d"})

    assert "pa55" not in repr(settings)
    assert "pa55" not in str(settings)
    assert "pa55" not in str(settings.model_dump())


def test_the_page_of_settings_shows_each_with_its_default_and_meaning() -> None:
    page = settings_page.PAGE.read_text(encoding="utf-8")

    assert page == settings_page.with_tables(page), (
        f"docs/settings.md is out of date; run: {settings_page.COMMAND}"
    )
    rows = [f"| `VCONTRACT_{name.upper()}` |" for name in Settings.model_fields]
    assert [row for row in rows if page.count(row) != 1] == []


@pytest.mark.parametrize("name", Settings.secrets())
def test_a_secret_may_stand_in_a_file(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    value = "east=postgresql://x:y@z/q" if name.endswith("_urls") else "postgresql://x:y@z/q"
    (tmp_path / "secret").write_text(f"{value}\n")
    variable = f"VCONTRACT_{name.upper()}_FILE"
    monkeypatch.setenv(variable, str(tmp_path / "secret"))
    if name == "database_urls":  # which go with a database of one's own
        monkeypatch.setenv("VCONTRACT_DATABASE_URL", "postgresql://x:y@other/q")

    settings = Settings.load()

    assert getattr(settings, name).get_secret_value() == value
    assert variable in Settings.variables()
    assert f"`{variable}`" in settings_page.PAGE.read_text(encoding="utf-8")


def test_a_file_of_a_secret_whose_name_is_no_text_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VCONTRACT_LLM_API_KEY_FILE", "/absent/\udcff")
    with pytest.raises(ValidationError, match=r"names /absent/\\xff, which cannot be read"):
        Settings.load()


@pytest.mark.parametrize(
    ("content", "also", "reported"),
    [
        (None, {}, "VCONTRACT_LLM_API_KEY_FILE names .*/secret, which cannot be read: No such file"),
        (b"\xff", {}, "which cannot be read: it is not UTF-8 text"),
        (b"a", {"VCONTRACT_LLM_API_KEY": "b"}, "it is set, and VCONTRACT_LLM_API_KEY_FILE too; set one"),
    ],
    ids=["missing", "no text", "twice"],
)
def test_a_file_of_a_secret_that_is_of_no_use_is_refused(
    content: bytes | None,
    also: dict[str, str],
    reported: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    if content is not None:
        (tmp_path / "secret").write_bytes(content)
    for variable, value in {"VCONTRACT_LLM_API_KEY_FILE": str(tmp_path / "secret"), **also}.items():
        monkeypatch.setenv(variable, value)

    with pytest.raises(ValidationError, match=reported):
        Settings.load()


@pytest.mark.parametrize(
    ("name", "meant", "is_restriction"),
    [
        ("CONSENT_REQURED", "CONSENT_REQUIRED", True),
        ("REQUIRE_CONSENT", "CONSENT_REQUIRED", True),
        ("CONSENT", "CONSENT_REQUIRED", True),
        ("PURPOSES", "PURPOSE", True),
        ("READONLY", "READ_ONLY", True),
        ("ONLY_READ", "READ_ONLY", True),
        ("EXCLUDED_TOOLS", "EXCLUDE_TOOLS", True),
        ("EXCLUDE_MEMORY", "MEMORY_EXCLUDE", True),
        ("RETENTION", "RETENTION_DAYS", True),
        ("TENNANT", "TENANT", True),
        ("ALLOWED_ROOTS", "SESSION_ALLOWED_ROOTS", True),
        ("POOL_SIZ", "POOL_SIZE", False),
        ("LOGLEVEL", "LOG_LEVEL", False),
        ("DATADIR", "DATA_DIR", False),
        ("LLM_API_KEY_FLE", "LLM_API_KEY", False),
        ("IMAGE", None, False),
        ("VERSION", "VCON_VERSION", False),
        ("COLOUR", None, False),
    ],
)
def test_a_misspelt_variable_is_known_with_what_was_meant(
    name: str, meant: str | None, is_restriction: bool
) -> None:
    (unknown,) = Variables.read(None, {f"VCONTRACT_{name}": "1"}).unknown()

    assert (unknown.meant, unknown.is_restriction) == (meant and f"VCONTRACT_{meant}", is_restriction)


def test_variables_of_other_programs_and_known_ones_in_any_case_are_not_reported() -> None:
    others = ["SERVICE_HOST", "SERVICE_PORT_HTTP", "PORT", "PORT_8000_TCP_ADDR", "TOKEN", "TEST_DATABASE_URL"]
    given = {f"VCONTRACT_{name}": "1" for name in others} | {"vcontract_pool_size": "3", "HOME": "/"}

    variables = Variables.read(None, given)

    assert list(variables.unknown()) == []
    assert variables.in_force() == {"VCONTRACT_POOL_SIZE": "3"}


def test_a_settings_file_is_read_as_settings_read_it_and_its_mistakes_are_named(tmp_path: Path) -> None:
    file = tmp_path / "settings.env"
    file.write_text("VCONTRACT_PURPOS=x\nVCONTRACT_POOL_SIZE=3\nVCONTRACT_LLM_API_KEY_FILE=/k\nOTHER=1\n")

    variables = Variables.read(file, {"VCONTRACT_POOL_SIZE": "4"})

    assert variables.in_force()["VCONTRACT_POOL_SIZE"] == "4"
    no_file, misspelt = map(str, variables.unknown())
    assert no_file.startswith(f"VCONTRACT_LLM_API_KEY_FILE (in {file}) is read from the environment only")
    assert misspelt.endswith("Did you mean VCONTRACT_PURPOSE?")


@pytest.mark.parametrize(
    ("content", "reported"),
    [
        (b"VCONTRACT_POOL_SIZE=3\nVCONTRACT_PURPOSE: x\n", "line 2 of .*settings.env is not NAME=VALUE"),
        (b"VCONTRACT_READ_ONLY\n", "line 1 of"),
        (b"VCONTRACT_PURPOSE=\xff\n", "is not UTF-8 text"),
    ],
)
def test_a_settings_file_with_a_line_that_is_none_is_refused(
    content: bytes, reported: str, tmp_path: Path
) -> None:
    (tmp_path / "settings.env").write_bytes(content)

    with pytest.raises(UnreadableEnvFile, match=reported):
        Variables.read(tmp_path / "settings.env", {})
