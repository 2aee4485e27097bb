"""Application assembly: settings, store and handlers combined. Only this room imports `handlers`."""

import asyncio
import contextlib
import gc
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Self

from vcontract.generated.handlers import Handlers, Readers
from vcontract.handlers.services import Services
from vcontract.runtime.embedding.immediate import ImmediateEmbedding
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.embedding.worker import EmbeddingWorker
from vcontract.runtime.frame import logs
from vcontract.runtime.frame.calls.call import Meter, RequestScope
from vcontract.runtime.frame.calls.cursor import CursorCodec
from vcontract.runtime.frame.calls.dispatch import Dispatcher
from vcontract.runtime.frame.calls.resources import ResourceReader
from vcontract.runtime.frame.calls.telemetry import Telemetry
from vcontract.runtime.frame.calls.upstream import CallForms
from vcontract.runtime.frame.context import SCOPES, Caller
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.contract.policy import Policy
from vcontract.runtime.frame.contract.ratelimit import RateClass, RateLimiter
from vcontract.runtime.settings import HOME_STORE, Settings
from vcontract.runtime.store.inspect.deliveries import Deliveries
from vcontract.runtime.store.inspect.maintenance import Maintenance
from vcontract.runtime.store.postgres.consent import reading_for
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.error_mapping import classify
from vcontract.runtime.store.postgres.idempotency import Requests
from vcontract.runtime.store.postgres.secrets import shared_secret
from vcontract.runtime.store.postgres.tenant_directory import TenantDirectory
from vcontract.runtime.store.vocabulary.closed_tags import DeclaredVocabulary

if TYPE_CHECKING:
    from vcontract.handlers.short_ids import ShortIds

_CURSOR_KEY = "cursor_key"


@dataclass(frozen=True, slots=True)
class App:
    """Everything one process runs on."""

    settings: Settings
    database: Database
    catalogue: Catalogue
    dispatcher: Dispatcher
    resources: ResourceReader
    caller: Caller
    """The local user: tenant `default`, all scopes but `write` on a read-only server."""
    cursors: CursorCodec
    embeddings: Embeddings
    worker: EmbeddingWorker
    """Embeds stored text in the background once started, or on request; `serve` starts it."""
    immediate: ImmediateEmbedding
    """Embeds what calls write, once background work has started."""
    services: Services
    """What handlers use."""
    maintenance: Maintenance
    """Keeps counts fast to read; `serve` starts it."""
    deliveries: Deliveries
    """Sends webhook deliveries; `serve` starts it."""
    telemetry: Telemetry | None = None
    """Exports spans and metrics of calls."""
    others: "Mapping[str, App]" = field(default_factory=dict["str", "App"])
    """Applications of the deployment's other stores, by name. They serve the tenants of those stores."""

    def start(self) -> None:
        """Start background work."""
        if self.settings.embedding_provider != "none":
            self.worker.start()
            self.database.when_written(self.worker.wake)
            if self.embeddings.recipe.is_local:
                self.dispatcher.embed_changes(self.immediate.of)
        self.maintenance.start()
        self.deliveries.start()
        for other in self.others.values():
            other.start()

    async def close(self) -> None:
        """Stop background work, and release the models and the database."""
        async with contextlib.AsyncExitStack() as closing:
            if self.telemetry is not None:
                closing.push_async_callback(asyncio.to_thread, self.telemetry.close)
            closing.push_async_callback(self.database.close)
            closing.push_async_callback(self.embeddings.close)
            closing.push_async_callback(self.immediate.close)
            closing.push_async_callback(self.worker.stop)
            closing.push_async_callback(self.maintenance.stop)
            closing.push_async_callback(self.deliveries.stop)
            for other in self.others.values():  # before our model, which they use
                closing.push_async_callback(other.close)

    @property
    def connections(self) -> tuple[int, int]:
        """Numbers of idle and used connections to the databases of all stores."""
        idle, used = zip(*(database.connections for database in self._databases.values()), strict=True)
        return sum(idle), sum(used)

    async def answers(self) -> dict[str, bool]:
        """Whether each store's database is available now, by store name; the home store first."""
        answers = await asyncio.gather(*(database.answers() for database in self._databases.values()))
        return dict(zip(self._databases, answers, strict=True))

    @property
    def _databases(self) -> dict[str, Database]:
        return {HOME_STORE: self.database, **{name: other.database for name, other in self.others.items()}}


@dataclass(frozen=True, slots=True)
class _Named:
    """Contract parts and files that settings name, checked to exist."""

    catalogue: Catalogue
    rate_classes: Mapping[str, RateClass] | None
    """None if rates are not limited."""
    vocabulary: DeclaredVocabulary
    call_forms: CallForms | None
    """Call forms of another server, if they are accepted."""

    @classmethod
    def by(cls, settings: Settings) -> Self:
        """Resolve the names in settings. Raises: ValueError for an unknown one."""
        package = load_package()
        call_forms = CallForms.load() if settings.accept_upstream else None
        selection = Selection(
            settings.toolsets,
            settings.tools,
            settings.exclude_tools,
            settings.read_only,
            frozenset() if call_forms is None else frozenset(call_forms.not_served),
        )
        if settings.keys:
            from vcontract.handlers.vcon.keyring import keyring_of

            keyring_of(settings.keys, settings.fetch_hosts)()
        return cls(
            Catalogue(package, selection),
            None
            if settings.rate_limits is None
            else Policy.read(package.policy).rate_classes_with(settings.rate_limits),
            DeclaredVocabulary.load(settings.vocabulary),
            call_forms,
        )


def check_settings(settings: Settings) -> list[str]:
    """Return the names of the tools that `settings` serve, after checking every name in them.

    Raises: ValueError for an unknown name.
    """
    return list(_Named.by(settings).catalogue.seen_with(_local_caller(settings).scopes).tools)


async def build(
    settings: Settings,
    *,
    waits: bool = False,
    meters: Sequence[Meter] = (),
) -> App:
    """Build the application for `settings` and open its database. With `waits`, wait until it is reachable.

    `meters` observe each call. Raises: ValueError for an unknown name in settings; what `Database.open`
    raises.
    """
    named = _Named.by(settings)
    catalogue = named.catalogue
    telemetry = Telemetry.started(catalogue.package.identity.version)
    if telemetry is not None:
        meters = (*meters, telemetry)
    stores = settings.stores
    app = await _build(stores.pop(HOME_STORE), named, telemetry, meters, waits=waits)
    if not stores:
        return app
    async with contextlib.AsyncExitStack() as undo:
        undo.push_async_callback(app.close)
        others: dict[str, App] = {}
        for name, of_store in stores.items():
            others[name] = await _build(
                of_store,
                named,
                None,
                meters,
                waits=waits,
                home=app,
            )
            undo.push_async_callback(others[name].close)
        undo.pop_all()
    places = TenantDirectory(app.database)

    async def other_of(caller: Caller) -> App | None:
        return others.get(await places.of(caller.tenant) or HOME_STORE)

    async def dispatcher_of(caller: Caller) -> Dispatcher | None:
        return None if (other := await other_of(caller)) is None else other.dispatcher

    async def resources_of(caller: Caller) -> ResourceReader | None:
        return None if (other := await other_of(caller)) is None else other.resources

    app.dispatcher.delegate(dispatcher_of)
    app.resources.delegate(resources_of)
    return replace(app, others=others)


async def _build(
    settings: Settings,
    named: _Named,
    telemetry: Telemetry | None,
    meters: Sequence[Meter],
    *,
    waits: bool,
    home: App | None = None,
) -> App:
    """Build the application on one store. Stores other than the home store share its model and cursor key."""
    catalogue = named.catalogue
    database = await Database.open(settings, waits=waits, beside_others=home is not None)
    async with contextlib.AsyncExitStack() as undo:
        undo.push_async_callback(database.close)
        embeddings = Embeddings(settings, database, home.embeddings.model if home else None)
        version = catalogue.package.identity.version
        cursors = home.cursors if home else await _cursors(database, version)
        rate_limiter = None if named.rate_classes is None else RateLimiter(named.rate_classes)
        from vcontract.runtime.store.vcons.audit import Refusals

        services = Services(settings, database, cursors, embeddings, named.vocabulary)
        scope = RequestScope(
            catalogue, classify, rate_limiter, meters, lambda caller: reading_for(caller.purposes)
        )
        short_ids = partial(_short_ids, database)
        dispatcher = Dispatcher(
            scope,
            Handlers(services),
            call_forms=named.call_forms,
            requests=Requests(database),
            refusals=Refusals(database).note,
            complete_ids=lambda tool, params, ctx: short_ids().in_params(
                tool.toolset, tool.errors, params, ctx
            ),
        )
        resources = ResourceReader(
            scope,
            Readers(services),
            draw=_rendered_app,
            complete_ids=lambda values, ctx: short_ids().in_uri(values, ctx),
        )
        undo.pop_all()
    worker = EmbeddingWorker(embeddings, database)
    return App(
        settings,
        database,
        catalogue,
        dispatcher,
        resources,
        _local_caller(settings),
        cursors,
        embeddings,
        worker,
        ImmediateEmbedding(embeddings, worker),
        services,
        Maintenance(
            database,
            retention_days=None if settings.read_only else settings.retention_days,
        ),
        Deliveries(database, settings.webhook_hosts),
        telemetry,
    )


async def serve(settings: Settings) -> None:
    """Serve one client over stdin and stdout until it disconnects.

    Raises: what `build` raises.
    """
    logs.configure(settings.log_level)
    gc.disable()  # loaded objects stay, so collecting them takes a tenth of the start-up time for nothing
    with contextlib.redirect_stdout(sys.stderr):
        building = asyncio.create_task(build(settings, waits=True))
        # The database starts while the protocol's modules load, which takes longer than all other modules
        # together.
        await asyncio.sleep(0)
        from vcontract.runtime.frame.mcp.server import build_server
        from vcontract.runtime.frame.mcp.stdio import serve_stdio

        app = await building
        app.start()
    server = build_server(
        app.catalogue,
        app.dispatcher,
        replace(app.caller, connection=f"stdio:{uuid.uuid4()}"),
        resources=app.resources,
    )
    # What was built stays, so exclude it from collections while a search creates many objects.
    gc.freeze()
    gc.enable()
    await serve_stdio(server, app.close)


def _short_ids(database: Database) -> "ShortIds":
    from vcontract.handlers.short_ids import ShortIds

    return ShortIds(database)


def _rendered_app(view: str) -> str:
    """Return the HTML of a view inside a chat."""
    from vcontract.runtime.pages.apps import render_app

    return render_app(view)


async def _cursors(database: Database, version: str) -> CursorCodec:
    """Return the cursor codec. Its key, shared by all servers of the database, is set once that is
    reachable.
    """
    cursors = CursorCodec(None, version)

    async def take_key() -> None:
        cursors.use(await shared_secret(database, _CURSOR_KEY))

    await database.when_reached(take_key)
    return cursors


def _local_caller(settings: Settings) -> Caller:
    scopes = frozenset(SCOPES)
    return Caller(settings.tenant, scopes - {"write"} if settings.read_only else scopes, local=True)
