"""The statements of a store, in the language of its database.

Every text is a constant; values are parameters, whose names are in backticks. A parameter may be a list or a map, and a
column may be a list. Keys are the texts of ``domain.node_keys``. A dataset is found under all its names unless it is
written otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import LiteralString

# Facets are rows of ``facets.FacetRow``. A statement whose rows have facets returns them as a list in the last column,
# or is followed by the statement of that name, whose rows begin with the first column of theirs.


@dataclass(frozen=True, kw_only=True)
class CatalogStatements:
    """Datasets and jobs, what labels them, and searches: pages of ``count`` after ``namespace`` and ``name``."""

    datasets: LiteralString
    """Of ``keys``: the key asked for, the canonical key, first, last, facets of all names."""
    facets_of_datasets: LiteralString | None = None
    spans: LiteralString
    """As ``datasets``, without facets."""
    paths: LiteralString
    """Of ``keys``: the key asked for, and a node key."""
    page: LiteralString
    """Namespace and name of datasets whose folded text contains ``search``."""
    total: LiteralString
    """The number of datasets; ``found`` is that of those with ``search`` in their text."""
    found: LiteralString
    dataset_keys: LiteralString
    datasets_like: LiteralString
    """Namespace and name, where ``text`` is contained; ``nul`` is a NUL, for languages that cannot write it."""
    jobs_like: LiteralString
    paths_like: LiteralString
    """``count`` node keys behind ``after`` whose steps contain ``text`` and that contain ``piece``."""
    labels: LiteralString
    """The facets ``tags`` and ``ownership`` whose owners begin with ``kind``."""
    tags: LiteralString
    """The facets ``tags`` and ``schema`` of all datasets with tags."""
    claims: LiteralString
    """``claims.ClaimRow``: ``count`` behind ``owner`` and ``name``, of owners that begin with one of ``starts``."""


@dataclass(frozen=True, kw_only=True)
class RunStatements:
    """Runs (``answers.RunRow`` and facets), jobs, and what they used; pages of ``count`` after ``time`` and ``key``."""

    of_job: LiteralString
    with_datasets: LiteralString
    """Of ``dataset``, with that ``use`` or any."""
    jobs_with_datasets: LiteralString
    """One of the datasets ``keys``, and a job with that ``use`` of it, each pair once."""
    children: LiteralString
    """Of the parent ``run_id``."""
    of_keys: LiteralString
    newest: LiteralString
    """One of each of the jobs ``keys``."""
    facets_of_runs: LiteralString | None = None
    jobs: LiteralString
    """Of ``keys``: key, first, last, facets."""
    facets_of_jobs: LiteralString | None = None
    used_by_jobs: LiteralString
    """``answers.UsedRow`` of ``keys``."""
    used_by_runs: LiteralString
    """The same, with facets."""
    facets_of_used: LiteralString | None = None
    """All of the runs ``keys``, without another column."""
    of_jobs: LiteralString
    """A key of the jobs ``keys``, and the id of a run."""
    started_by: LiteralString
    """Key, job and id of each run whose parent has one of the ``ids``, and its ``parent`` facet."""
    figures: LiteralString
    """Of the datasets ``keys``: key, and the size and the number of rows that a run with this ``use`` counted."""
    counted: LiteralString
    """``size`` or ``rows``, one of the ``sizes`` or ``rows``, and the owner of a facet that counts it."""


@dataclass(frozen=True, kw_only=True)
class UseStatements:
    """Use of datasets. Rows are of ``in_force.datasets.use`` where that is not written otherwise."""

    candidates: LiteralString
    """Namespace and name: a page of the canonical datasets, if not None ``among`` some. Those that a run read since
    ``since``, if it is not None, may be left out.
    """
    inputs: LiteralString
    """``Input`` of ``runs``."""
    far_ends: LiteralString
    """``FarEnd`` of ``versions``, each once."""
    first_uses: LiteralString
    """``found.FirstUse`` of the canonical datasets, if not None ``among`` some, by what had been received when
    ``received`` and had happened by ``at``; of a dataset that was written, only a read until then counts.
    """
    of_others: LiteralString
    """The canonical datasets, if not None ``among`` some, in which a run found something by ``at``, as was known when
    ``received``. Those may be left out in which each base is the state of some run.
    """
    contents: LiteralString
    """``found.Stated`` of the canonical ``keys``, by ``at`` and as was known when ``received``."""
    writings: LiteralString
    """Of the canonical ``keys``: key, run, first, last, outcome, and the text of ``outputStatistics`` or None of
    each run that wrote it, by ``at`` and as was known when ``received``.
    """
    read_layouts: LiteralString
    """Of the canonical ``keys``: key, and the text of a layout with which it was read until ``at``."""
    last_used: LiteralString
    """``LastUse`` of the canonical ``keys``."""
    manipulated: LiteralString
    """``readings.ManipulatedRow`` of ``dataset``, observed from ``since`` until before ``until``, ``most``."""
    runs_of_versions: LiteralString
    """``readings.RunOfRow`` of ``versions``."""
    accessed: LiteralString
    stored: LiteralString
    groups: LiteralString
    """Namespace, place, size, first and last name (``overview.Group``) of the canonical datasets but ``without``, by
    the prefixes that are ``opened`` in each namespace. A place is ``in `` and its text, or empty for all; the
    namespaces ``closed`` are one, called ``closed_name``.
    """
    connections: LiteralString
    """Source, target, number of jobs and one of these: the ``count`` connections of the most jobs, between the
    ``numbers`` of such groups, by namespace and place. Datasets in namespaces that begin with ``programs`` are written
    by the jobs whose lineage leads there.
    """


@dataclass(frozen=True, kw_only=True)
class GapStatements:
    """Gaps, each as JSON of a ``Gap``. A version is untraced that has gaps or no lineage."""

    untraced_now: LiteralString
    """``use.Deciding``, rank and gaps of what is current of ``keys`` and untraced, or beside a correction."""
    untraced: LiteralString
    """Of ``versions``: key, rank and gaps of those that are untraced."""
    drifts: LiteralString
    """``DriftRow`` of ``keys``."""
    unlisted: LiteralString
    """As ``untraced_now``, of what does not list its reads and whose run read one of ``names``, with the dataset, first
    and known of each such read.
    """
    earlier_into: LiteralString
    """Slots with one of ``names`` as the output that have a version with lineage which is not current; with
    ``past``, any with lineage, since it may not have been current at that moment.
    """
    earlier_from: LiteralString
    """Slots with such a version that has an edge from one of ``names``."""
    earlier_with_gap: LiteralString
    """Slots with such a version that has a gap with the ``reason``, and lineage."""
    earlier_unlisted: LiteralString
    """Slot, and one of ``names`` that a run read for such a version, which has lineage and does not list all reads."""
    edges_of_slots: LiteralString
    """``gaps.EdgeOfSlot`` of the edges of all versions of ``slots``."""
    read_by: LiteralString
    """``earlier.Reading`` of ``names`` by runs of ``jobs``, as received by ``received``."""
    read_anew: LiteralString
    """One of ``names`` and of ``jobs``, and since when this reads that with its newest layout."""
    copied: LiteralString
    """The outputs of runs that were under way between ``since`` and ``until`` and read one of ``names``, and the names
    that were given to one then, with the first and the last time of that, and false; and with true those of runs that
    began after that, until ``late``, whose reading was received before the moment ``known``. Two more columns are when
    the run failed and was aborted that gave the name; None for what runs wrote. What a job event declares
    has no end: it is there from ``since`` to ``forever``. What was received after ``received`` does not count. A run
    that used rows that were read before was under way since then.
    """
    ends: LiteralString
    """``changes.EndRow`` of ``names``, with the five columns of an outcome."""


@dataclass(frozen=True, kw_only=True)
class CurrentStatements:
    """What is current. Slots are (key, job, output); observations are ``current.Observed``."""

    slots: LiteralString
    slots_among: LiteralString
    """Of the datasets ``keys``, under the name asked for, the canonical one, and all names of a canonical one."""
    slots_unlisted: LiteralString
    """With a version that does not list its reads."""
    observed: LiteralString
    """Of ``slots``."""
    newest: LiteralString
    """Of ``slots``, as of now: what the newest run reported that replaced everything, of each version what the newest
    run reported that kept what was in the output, and what runs reported of which something was reported late.
    """
    of_runs: LiteralString
    """``current.Observed`` of ``runs``."""
    keep: LiteralString
    """For each row of a ``current.Kept``: set it."""
    slots_of_runs: LiteralString
    """Keys of slots that ``runs`` reported."""
    locked: LiteralString
    """Lock ``slots``, in this order, and return key, version, run, and when and by whom it was cleared, of all that is
    current; a slot of which nothing is has none of these.
    """
    unchoose: LiteralString
    """For each row: ``version`` is not current in ``slot``."""
    choose: LiteralString
    """For each row: ``version`` is current in ``slot``, with that ``run``, and was ``cleared`` then or never."""
    mark_edges: LiteralString
    """For each row: set whether the edges of ``version``, into ``output``, are ``current``."""
    edges_of: LiteralString
    """``corrections.EdgeOf`` of ``versions``."""
    reported_under: LiteralString
    """``making.ReportedUnder`` of ``versions``."""
    conditions: LiteralString
    """``ConditionsText`` of ``digests``."""
    with_unlisted: LiteralString
    """Those of ``versions`` that do not list all reads."""
    deciding: LiteralString
    """``use.Deciding`` of the datasets ``keys``."""
    traced: LiteralString
    """Of the datasets ``keys``: output, job and version of all that is current and has lineage."""
    all_cleared: LiteralString
    """Output, job, when and by whom, of all that is current beside what a correction says."""


@dataclass(frozen=True, kw_only=True)
class NameStatements:
    """Names of datasets, decisions about them, and changes of states, with the ``outcomes.Outcome`` of their runs."""

    seen: LiteralString
    """Keys of all datasets in events."""
    known: LiteralString
    """These, the names of symlinks, and former names."""
    aliases: LiteralString
    """All names that are not canonical, with the canonical one."""
    seen_aliases: LiteralString
    """Those that are names of datasets in the store."""
    aliases_of: LiteralString
    """Those of the canonical ``keys``."""
    names_of: LiteralString
    """Each name of the datasets ``keys``, and the key asked for."""
    links_at: LiteralString
    """``aliases.Link`` at ``names``, and when its run failed and was aborted; of creations, by these, the last."""
    forget_aliases: LiteralString
    alias: LiteralString
    """For each row: store that ``name`` leads to ``canonical``."""

    decisions: LiteralString
    """``DecisionMade``, oldest first, all or those after the time ``since``."""
    count_of_decisions: LiteralString
    decide: LiteralString
    """For each row of a decision, with a ``key`` of bounded length."""
    links: LiteralString
    """All ``DecidedLink``."""
    link: LiteralString
    """Store ``rows`` of links, each with a ``key`` of bounded length, and return the new ones."""
    forget_link: LiteralString
    """For each row of a link, with its ``key``."""
    seen_among: LiteralString
    """The keys among ``names`` of datasets in events."""
    forget_nameless: LiteralString
    """Delete the empty datasets among ``names``."""
    keep_nameless: LiteralString
    """For each row with ``key``, ``namespace``, ``name`` and ``folded``: store an empty dataset."""
    nameless: LiteralString
    """The canonical names of ``names`` that no dataset has."""

    change: LiteralString
    """For each row of a ``ChangeSeen``."""
    changed: LiteralString
    """One row: the pairs (dataset, previous) that ``runs`` changed, and the number of decisions."""
    slots_with_drops: LiteralString
    """The slots of ``names``, if any of these was ever dropped."""
    drops: LiteralString
    """``changes.DropRow`` of ``slots``, under any name of the output."""
    changes_of: LiteralString
    """``changes.ChangeRow`` of the canonical ``keys``, and an outcome."""
    alive: LiteralString
    """The canonical ``keys`` that have current lineage."""


@dataclass(frozen=True, kw_only=True)
class LayoutStatements:
    """Layouts, and the ways and drifts between them (``drift``)."""

    layout: LiteralString
    """For each row of a ``LayoutSeen``: merge it."""
    of_datasets: LiteralString
    """The names of all datasets that have layouts."""
    kinds: LiteralString
    """Of every name of ``names``: canonical key, name, its (use, digest), whether it has drifts, and ways."""
    texts: LiteralString
    """Digest and body of the ``digests`` of ``datasets``."""
    layouts: LiteralString
    """``LayoutRow`` of ``datasets``: all written ones, and those read by a job that reads one of ``digests``."""
    ways: LiteralString
    """``ReadAsRow`` of ``names``."""
    drifts: LiteralString
    """``DriftRow`` of ``names``."""
    all_drifts: LiteralString
    forget_ways: LiteralString
    forget_drifts: LiteralString
    transformations: LiteralString | None = None
    """For each row: store its ``transformations``, where they are kept once."""
    path: LiteralString
    """For each row: the path with its ``key``, if there is none."""
    way: LiteralString
    """For each row of a ``ReadAsRow`` with its ``dataset``."""
    drift: LiteralString
    """For each row of a ``DriftRow``."""


@dataclass(frozen=True, kw_only=True)
class PruningStatements:
    """Deletion of old runs, see ``pruning``."""

    candidates: LiteralString
    """``count`` keys of runs after ``after`` that ended before ``before``; those that are current may be left out."""
    newest_of_jobs: LiteralString
    """``pruning.OfJob`` of the jobs of ``runs``: of those that were first seen last."""
    last_reads: LiteralString
    """``pruning.ReadBy`` of the inputs of ``runs``: by those that read them last."""
    locked: LiteralString
    """Lock ``runs``, and return those that still ended before ``before``."""
    recent: LiteralString
    """Those of ``runs`` with events since ``before``."""
    copying: LiteralString
    """Key, first and last time of the runs that were under way between ``since`` and ``until``, read one of ``names``
    and wrote ``output``.
    """
    versions: LiteralString
    """The versions that ``runs`` reported."""
    changes: LiteralString
    """``changes.ChangeOfRun`` of ``runs``, and an outcome."""
    forget_change: LiteralString
    """For each row of a ``ChangeOfRun``: delete it."""
    forget: tuple[LiteralString, ...]
    """Delete ``runs`` with all that is theirs alone."""
    orphans: LiteralString
    """Key and slot of those of ``versions`` that no run has."""
    forget_conditions: LiteralString
    """Delete the conditions that no observation has."""
    forget_edges: LiteralString
    """Delete the edges of ``versions``; ``rows`` are the same by their ``output``."""
    forget_versions: tuple[LiteralString, ...]


@dataclass(frozen=True, kw_only=True)
class AuditStatements:
    """The audit log; rows are of ``AuditEntry``."""

    end: LiteralString
    """Number and hash of the newest entry, or no row."""
    locked_end: LiteralString
    """The same, after which others wait to append."""
    append: LiteralString
    """For each row of an entry."""
    of_action: LiteralString
    page: LiteralString
    """``first`` after the number ``after``."""


@dataclass(frozen=True, kw_only=True)
class DeadLetterStatements:
    """Dead letters."""

    keep: LiteralString
    """For each row of a ``DeadLetter`` with ``about``."""
    places: LiteralString
    """``LetterPlace`` of all."""
    forget: LiteralString
    """Delete ``keys``."""
    one: LiteralString
    page: LiteralString
    """``ListedLetter``: ``count`` after ``received`` and ``key``, which may be None."""


@dataclass(frozen=True, kw_only=True)
class Statements:
    """All statements of a store."""

    catalog: CatalogStatements
    runs: RunStatements
    use: UseStatements
    gaps: GapStatements
    current: CurrentStatements
    names: NameStatements
    layouts: LayoutStatements
    pruning: PruningStatements
    audit: AuditStatements
    dead_letters: DeadLetterStatements
