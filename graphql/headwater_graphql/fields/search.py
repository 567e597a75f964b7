"""Search in GraphQL: datasets, jobs and paths by name, path, tag and owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headwater_backend.domain import model
from headwater_backend.domain.roles import Permission
from headwater_backend.ports import Datasets, Jobs
from headwater_backend.questions import resolving, runs
from headwater_backend.questions.catalog import text_search
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, Loader, connection
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields import jobs
from headwater_graphql.fields.types import Dataset, datasets_by_key

definitions.enum(text_search.Kind, name="SearchKind", description="Kinds of search results.")
definitions.enum(text_search.NameKind, description="Kinds of names to suggest.")
definitions.enum(text_search.By, name="SearchBy", description="The field that a text matched.")


@definitions.object_type(description="A match, with the matched text.")
class SearchMatch:
    by: text_search.By
    text: str


class HitLoaders:
    """Loaders shared by the hits of one page."""

    def __init__(self, hits: Sequence[text_search.Hit]) -> None:
        self.datasets = Loader(lambda: [hit.node.dataset for hit in hits if hit.node], _datasets)
        self.jobs = Loader(lambda: [hit.job for hit in hits if hit.job], _jobs)


def _datasets(store: Datasets, keys: Sequence[model.DatasetKey]) -> Mapping[model.DatasetKey, Dataset]:
    return datasets_by_key(resolving.get_datasets(store, keys))


def _jobs(store: Jobs, keys: Sequence[model.JobKey]) -> Mapping[model.JobKey, jobs.Job]:
    return jobs.jobs_by_key(runs.get_jobs(store, keys))


@definitions.object_type(description="A dataset, a job, or a path of a dataset.")
class SearchHit:
    kind: text_search.Kind
    namespace: str
    name: str
    path: list[str]
    label: str = definitions.field(description="The path or name as text.")
    matches: list[SearchMatch]
    hit: text_search.Hit = definitions.private()
    loaders: HitLoaders = definitions.private()

    @classmethod
    def of(cls, hit: text_search.Hit, loaders: HitLoaders) -> SearchHit:
        key = hit.node.dataset if hit.node else hit.job
        return cls(
            kind=hit.kind,
            namespace=key.namespace if key else "",
            name=key.name if key else "",
            path=list(hit.node.path) if hit.node else [],
            label=hit.label,
            matches=[SearchMatch(by=match.by, text=match.text) for match in hit.matches],
            hit=hit,
            loaders=loaders,
        )

    @definitions.resolver(description="The dataset, or the dataset of the path.")
    def dataset(self, info: Info) -> Dataset | None:
        return self.loaders.datasets.get(info, self.hit.node.dataset) if self.hit.node else None

    @definitions.resolver(description="The job.")
    def job(self, info: Info) -> jobs.Job | None:
        return self.loaders.jobs.get(info, self.hit.job) if self.hit.job else None


@definitions.object_type()
class SearchQuery:
    @definitions.resolver(
        description="The known names most similar to the text, as suggestions for a mistyped name."
    )
    @needs(Permission.ASK, one_thing=True)
    def near_names(self, info: Info, text: str, kinds: list[text_search.NameKind]) -> list[str]:
        return run_question(info, text_search.near_names, text, kinds)

    @definitions.resolver(
        description="Datasets, jobs and paths whose names, steps, tags or owners contain the text, ignoring case."
    )
    @needs(Permission.ASK)
    def search(
        self,
        info: Info,
        text: str,
        kinds: list[text_search.Kind] | None = None,
        by: list[text_search.By] | None = None,
        first: int | None = 50,
        after: str | None = None,
    ) -> Connection[SearchHit]:
        page = run_question(
            info,
            text_search.search,
            text,
            kinds=tuple(text_search.Kind) if kinds is None else kinds,
            by=tuple(text_search.By) if by is None else by,
            first=first,
            after=after,
        )
        loaders = HitLoaders(page.items)
        nodes = [SearchHit.of(hit, loaders) for hit in page.items]
        return connection(nodes, [hit.cursor for hit in page.items], page.has_next, after)
