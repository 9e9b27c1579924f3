"""Results as frozen data: the answers of the questions in `shapesmt.entrypoints.api`."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports
from shapesmt.reports.answers import facts as facts

with lazy_imports(__name__):
    from shapesmt.reports.answers.batch import (
        AnyResult as AnyResult,
        BatchJson as BatchJson,
        BatchReport as BatchReport,
        Change as Change,
        Comparison as Comparison,
        Exported as Exported,
        Marks as Marks,
        ReportLine as ReportLine,
        Summary as Summary,
        Tally as Tally,
        Tallying as Tallying,
        Times as Times,
        Unchecked as Unchecked,
        UncheckedLine as UncheckedLine,
        changes_in as changes_in,
        gravest as gravest,
        reports_in as reports_in,
        unchecked_in as unchecked_in,
    )
    from shapesmt.reports.answers.bounds import (
        Bounds as Bounds,
        CaseBounds as CaseBounds,
        DimBounds as DimBounds,
        Share as Share,
        TensorBounds as TensorBounds,
    )
    from shapesmt.reports.answers.catalogue import (
        DimensionFacts as DimensionFacts,
        ErrorCode as ErrorCode,
        ModelFacts as ModelFacts,
        Operator as Operator,
        Operators as Operators,
    )
    from shapesmt.reports.answers.data import (
        Answer as Answer,
        Data as Data,
        altered as altered,
    )
    from shapesmt.reports.answers.dynamic import DynamicShapes as DynamicShapes, StaticAxis as StaticAxis
    from shapesmt.reports.answers.explanation import (
        Against as Against,
        Allocated as Allocated,
        Candidate as Candidate,
        Condition as Condition,
        Encoded as Encoded,
        ErrorOrigin as ErrorOrigin,
        Explanation as Explanation,
        Fact as Fact,
        Grade as Grade,
        NodeConstraints as NodeConstraints,
        Obstacle as Obstacle,
        Proof as Proof,
        Script as Script,
        Variable as Variable,
    )
    from shapesmt.reports.answers.finding import (
        Assumed as Assumed,
        Cause as Cause,
        Clash as Clash,
        Counterexample as Counterexample,
        Finding as Finding,
        FindingKind as FindingKind,
        FixedSize as FixedSize,
        Group as Group,
        Guarded as Guarded,
        ModelWarning as ModelWarning,
        Operand as Operand,
        Replay as Replay,
        Side as Side,
        Source as Source,
        SymbolRange as SymbolRange,
        TensorFacts as TensorFacts,
        WarningKind as WarningKind,
    )
    from shapesmt.reports.answers.memory import (
        Budget as Budget,
        Chart as Chart,
        Greatest as Greatest,
        GreatestAt as GreatestAt,
        HeldTensor as HeldTensor,
        IndexLimit as IndexLimit,
        Memory as Memory,
        Peak as Peak,
        PeakAt as PeakAt,
    )
    from shapesmt.reports.answers.page import (
        Axis as Axis,
        Calculator as Calculator,
        CauseGraph as CauseGraph,
        Cell as Cell,
        Elements as Elements,
        Link as Link,
        NumberLine as NumberLine,
        PageData as PageData,
        PlacedNode as PlacedNode,
        Raster as Raster,
        Run as Run,
        Shape as Shape,
        Size as Size,
        Slider as Slider,
        Step as Step,
        TensorData as TensorData,
    )
    from shapesmt.reports.answers.profile import (
        POINTS as POINTS,
        Box as Box,
        Profile as Profile,
        ProfileJson as ProfileJson,
        ProfileSize as ProfileSize,
        TensorProfile as TensorProfile,
    )
    from shapesmt.reports.answers.report import (
        ERROR as ERROR,
        GRAVEST_LAST as GRAVEST_LAST,
        AbsentFile as AbsentFile,
        Counts as Counts,
        DataNeed as DataNeed,
        OutputSamples as OutputSamples,
        Precondition as Precondition,
        Release as Release,
        Remedy as Remedy,
        Report as Report,
        SampleAnswer as SampleAnswer,
        is_expected as is_expected,
    )
    from shapesmt.reports.answers.simplified import (
        Changed as Changed,
        Keeping as Keeping,
        Proposal as Proposal,
        Repairs as Repairs,
        Rewritten as Rewritten,
        Simplified as Simplified,
        Tightened as Tightened,
        TightenedJson as TightenedJson,
    )
