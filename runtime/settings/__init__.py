"""All operator settings, read once and passed to components."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import platformdirs
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationInfo, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from vcontract.runtime.settings.types import (
    Address,
    Folders,
    Limits,
    Names,
    Secret,
    SecretAddress,
    SecretFile,
    SwitchOrRoots,
    check_address,
)

PREFIX: Final = "VCONTRACT_"
"""Prefix of the environment variables of settings."""
ROLE_PREFIX: Final = "vcontract"
"""Default prefix of a store's database roles."""


def _default_data_dir() -> Path:
    return Path(platformdirs.user_data_dir("vcontract", appauthor=False))


def _check_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise ValueError(f"{name!r} is not an IANA time zone, such as Europe/Berlin or UTC") from None
    return name


def _check_prefix(prefix: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", prefix):
        raise ValueError(
            f"{prefix!r} cannot begin the name of a role; use 1 to 40 lowercase letters, digits and '_', "
            "starting with a letter"
        )
    return prefix


def is_purpose(name: str) -> bool:
    """Whether `name` is a valid purpose name."""
    return re.fullmatch(r"[a-z0-9][a-z0-9_.:-]{0,63}", name) is not None


def _check_purposes(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if not is_purpose(name):
            raise ValueError(
                f"{name!r} cannot name a purpose; allowed are 1 to 64 lowercase letters, digits and '_.:-', "
                "the first a letter or digit, as in analysis or ai_training"
            )
    return names


HOME_STORE = "home"
"""Name of the store at `database_url`. Reserved in `database_urls`."""


def _addresses(urls: SecretStr | None) -> dict[str, str]:
    """Parse `"east=postgresql://… west=postgresql://…"` into addresses by store name."""
    parts = () if urls is None else urls.get_secret_value().split()
    return {name: url for name, _, url in (part.partition("=") for part in parts)}


def _check_stores(urls: SecretStr | None) -> SecretStr | None:
    """Validate the names and addresses of further stores.

    Errors quote no address, because it may contain a password.
    """
    if urls is None:
        return None
    stores = _addresses(urls)
    if len(stores) < len(urls.get_secret_value().split()) or not all(
        re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,62}", name) and name != HOME_STORE and check_address(url)
        for name, url in stores.items()
    ):
        raise ValueError(
            "is not understood; write NAME=ADDRESS for each store with spaces between, each NAME once, of "
            f"lowercase letters, digits, '_' and '-', and not {HOME_STORE}, as in east=postgresql://user:password@host/name"
        )
    return urls


def _check_home_store_set(urls: SecretStr | None, others: ValidationInfo) -> SecretStr | None:
    if urls is not None and others.data.get("database_url") is None:
        raise ValueError("requires VCONTRACT_DATABASE_URL, which is not set")
    return urls


def _split_tenants(value: object) -> object:
    """Parse `"acme=/srv/a, acme=/srv/b"` as `{"acme": ["/srv/a", "/srv/b"]}`; other values stay."""
    if not isinstance(value, str):
        return value
    folders: dict[str, list[str]] = {}
    for part in filter(None, (piece.strip() for piece in value.split(","))):
        tenant, equals, folder = (word.strip() for word in part.partition("="))
        if not (tenant and equals and os.path.isabs(folder)):
            raise ValueError(f"{part!r} is not TENANT=FOLDER with an absolute folder, as in acme=/srv/acme")
        folders.setdefault(tenant, []).append(folder)
    return folders


_EMPTY_IS_VALID = frozenset({"session_allowed_roots"})
"""Settings where an empty value means an empty list instead of the default."""
_RESTRICTIONS: Final = frozenset(
    {
        *("purpose", "consent_required", "retention_days", "tenant", "memory_exclude"),
        *("read_only", "toolsets", "tools", "exclude_tools"),
        *("session_allowed_roots", "session_git_protected_branches"),
    }
)
"""Settings without which more is served, done or kept."""
FoldersOfTenants: TypeAlias = Annotated[
    dict[str, tuple[Path, ...]], NoDecode, BeforeValidator(_split_tenants)
]


class Settings(BaseSettings):
    """Settings of the server and the command; each is read from `VCONTRACT_<NAME>`.

    Separate list items with commas. An empty value counts as unset. A `.env` file is read only by
    `Settings.load(env_file=…)`.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore")

    data_dir: Path = Field(
        default_factory=_default_data_dir, description="Embedded database and archived sessions."
    )
    database_url: SecretAddress = Field(
        default=None, description="A PostgreSQL with pgvector to use instead of the embedded one."
    )
    database_urls: Annotated[Secret, AfterValidator(_check_stores), AfterValidator(_check_home_store_set)] = (
        Field(
            default=None,
            description="Further stores, as NAME=ADDRESS separated by spaces, for tenants that `vcontract "
            "tenant move` moves there.",
        )
    )
    database_pooled: bool = Field(
        default=False,
        description="Whether VCONTRACT_DATABASE_URL is the address of a pooler, such as PgBouncer.",
    )
    role_prefix: Annotated[str, AfterValidator(_check_prefix)] = Field(
        default=ROLE_PREFIX,
        description="Prefix of the names of the store's roles. A second store on the same server needs "
        "another.",
    )
    pool_size: int = Field(
        default=8, ge=1, le=100, description="Maximum number of database connections of one process."
    )
    signing_key: Secret = Field(
        default=None,
        description="Private key in PEM (RSA, or EC on P-256) to sign vCons with, followed by its "
        "certificates.",
    )
    trusted_keys: Secret = Field(
        default=None,
        description="Trusted certificates and public keys in PEM, to verify signatures with.",
    )
    decryption_keys: Secret = Field(
        default=None, description="Private RSA keys in PEM, with which import decrypts vCons."
    )
    fetch_hosts: Names = Field(
        default=(),
        description="Hosts from which verify may fetch certificates and content. Default: none.",
    )
    webhook_hosts: Names = Field(
        default=(),
        description="Hosts of webhooks that may have private addresses and use HTTP. Default: none.",
    )
    webhook_secret: Secret = Field(
        default=None,
        description="Secret that signs the vCons that others send to /webhooks/vcon. It begins with whsec_.",
    )
    vcon_version: Literal["0.4.0", "0.5.0"] = Field(
        default="0.5.0",
        description="Version of the vCons that templates and imports of other formats make.",
    )
    vocabulary: Path | None = Field(
        default=None,
        description="YAML file with the tag values that searches accept, as lists by key under tags.",
    )
    toolsets: Names = Field(
        default=(),
        description="Toolsets to serve, or all. By default those that are on by default.",
    )
    tools: Names = Field(default=(), description="Serve only these tools of the toolsets. Default: all.")
    exclude_tools: Names = Field(default=(), description="Tools that are not served.")
    purpose: Annotated[Names, AfterValidator(_check_purposes)] = Field(
        default=(),
        description="Purposes such as analysis: conversations are withheld if a party denies any of them.",
    )
    consent_required: bool = Field(
        default=False,
        description="With a purpose: return only conversations in which every party except agents has "
        "consented.",
    )
    retention_days: int | None = Field(
        default=None,
        ge=1,
        le=36_500,
        description="Days after which a server deletes a vCon, by its created_at, unless it is under "
        "legal hold.",
    )
    read_only: bool = Field(default=False, description="Serve no tool that writes.")
    accept_upstream: bool = Field(
        default=False,
        description="Also accept calls in the forms of docs/upstream.md.",
    )
    rate_limits: Limits = Field(
        default_factory=dict,
        description="Calls per minute by rate class, instead of the contract's, as in search=200,create=50. "
        "off: no limits.",
    )
    embedding_provider: Literal["minilm", "onnx", "openai", "none"] = Field(
        default="minilm",
        description="Embedding model: minilm is included; onnx is your own; openai is a service with "
        "OpenAI's /embeddings; none.",
    )
    embedding_path: Path | None = Field(
        default=None,
        description="For onnx: the model's .onnx file, with the vocab.txt of an uncased BERT or a "
        "tokenizer.json (extra onnx) in the same folder. For minilm: a "
        "copy of its model.onnx.",
    )
    embedding_pooling: Literal["mean", "cls"] = Field(
        default="mean", description="For onnx: combine token vectors by mean or cls."
    )
    embedding_url: Address = Field(
        default=None,
        description="For openai: the address before /embeddings, as in http://localhost:11434/v1.",
    )
    embedding_model: str | None = Field(default=None, description="For openai: name of the model.")
    embedding_api_key: Secret = Field(default=None, description="For openai: API key, if required.")
    embedding_query_prompt: str = Field(
        default="", description="For onnx and openai: prefix of queries that the model requires."
    )
    embedding_document_prompt: str = Field(
        default="", description="For onnx and openai: prefix of texts that the model requires."
    )
    tenant: str = Field(default="default", description="Tenant of clients without a token, and of webhooks.")
    http_hosts: Names = Field(
        default=(),
        description="Host names of the HTTP server, in addition to localhost and the address it listens on.",
    )
    http_origins: Names = Field(
        default=(),
        description="Origins of web pages that may call the HTTP server, such as https://app.example.",
    )
    oauth_issuer: Address = Field(
        default=None, description="Issuer of accepted access tokens, as in their iss."
    )
    oauth_audience: Address = Field(
        default=None,
        description="Required audience of these tokens: this server's address, as clients see it.",
    )
    oauth_keys_url: Address = Field(
        default=None,
        description="Where the issuer publishes its keys. Default: /.well-known/jwks.json below the issuer.",
    )
    oauth_tenant_claim: str = Field(default="tenant", description="Claim of these tokens with the tenant.")
    oauth_scope_prefix: str = Field(
        default="", description="Prefix of the scopes of these tokens, such as vcontract: for vcontract:read."
    )
    metrics_token: Secret = Field(
        default=None, description="Token for /metrics of the HTTP server, required once other tokens exist."
    )
    time_zone: Annotated[str, AfterValidator(_check_zone)] = Field(
        default="UTC", description="IANA time zone of dates without an offset, for bridge."
    )
    date_languages: Names = Field(
        default=("en",), description="Languages of dates in words, for bridge, as in en,de."
    )
    file_roots: Names = Field(
        default=(),
        description="Folders from which bridge may read files for the local user. Default: none.",
    )
    llm_base_url: Address = Field(
        default=None,
        description="Address of OpenAI's /chat/completions, as in http://localhost:11434/v1. Without it "
        "no model is called.",
    )
    llm_model: str | None = Field(default=None, description="Name of the model.")
    llm_api_key: Secret = Field(default=None, description="API key, if required.")
    memory_exclude: Names = Field(
        default=(),
        description="Globs of transcripts that are not imported, by project, working directory or file.",
    )
    session_allowed_roots: Folders | None = Field(
        default=None,
        description="Folders in which sessions of the local user may work. Default: home, the start "
        "directory and the system's temporary folder.",
    )
    session_http_roots: FoldersOfTenants = Field(
        default={},
        description="Folders in which sessions of a tenant may work over HTTP, as in acme=/srv/acme. "
        "Default: none.",
    )
    session_dependency_sync: SwitchOrRoots = Field(
        default=False,
        description="Whether init installs dependencies, in all projects or in these. This runs code of "
        "the project.",
    )
    session_git_checkpoint: SwitchOrRoots = Field(
        default=False,
        description="Whether checkpoint commits tracked changes, in all projects or in these.",
    )
    session_git_protected_branches: Names = Field(
        default=(),
        description="Branches on which checkpoint does not commit. * and ? match other characters.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Minimum level of logged events."
    )

    @model_validator(mode="before")
    @classmethod
    def _empty_is_unset(cls, given: Mapping[str, object]) -> dict[str, object]:
        named = {name: value for name, value in given.items() if value != "" or name in _EMPTY_IS_VALID}
        for name in cls.secrets():
            variable = f"VCONTRACT_{name.upper()}_FILE"
            if path := os.environ.get(variable):
                named[name] = SecretFile(variable, Path(path), name in named)
        return named

    @property
    def keys(self) -> dict[str, str]:
        """Configured PEM keys, by setting name."""
        named = {
            "signing_key": self.signing_key,
            "trusted_keys": self.trusted_keys,
            "decryption_keys": self.decryption_keys,
        }
        return {name: key.get_secret_value() for name, key in named.items() if key is not None}

    @property
    def stores(self) -> "dict[str, Settings]":
        """Settings for each store, by store name. The home store comes first."""
        home = self.model_copy(update={"database_urls": None})
        others = {
            name: home.model_copy(update={"database_url": SecretStr(url)})
            for name, url in _addresses(self.database_urls).items()
        }
        return {HOME_STORE: home, **others}

    @classmethod
    def secrets(cls) -> list[str]:
        """Names of secret settings. Each can also be set through a file."""
        return [name for name, field in cls.model_fields.items() if field.annotation == SecretStr | None]

    @classmethod
    def variables(cls) -> set[str]:
        """Environment variables that settings use."""
        usual = {f"VCONTRACT_{name.upper()}" for name in cls.model_fields}
        return usual | {f"VCONTRACT_{name.upper()}_FILE" for name in cls.secrets()}

    @classmethod
    def restrictions(cls) -> frozenset[str]:
        """Names of settings without which more is served, done or kept."""
        return _RESTRICTIONS

    @classmethod
    def load(cls, env_file: Path | None = None, **given: object) -> "Settings":
        """Load settings from the environment. `given`, such as command-line options, takes precedence.

        The environment takes precedence over `env_file`.

        Raises: FileNotFoundError for a named file that is absent; pydantic.ValidationError for a bad value.
        """
        if env_file is not None and not env_file.is_file():
            raise FileNotFoundError(f"{env_file} is not a file; name an existing one or leave it out")
        return cls(_env_file=env_file, **given)  # type: ignore[call-arg,arg-type]  # pyright: ignore[reportArgumentType]
