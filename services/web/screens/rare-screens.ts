// What few open at first, in one file: apart these would have a quarter of their size again in small shared files.
export { CompareScreen } from "./compare/compare-screen.tsx";
export { HandoverScreen } from "./handover/handover-screen.tsx";
export { MemoriesScreen } from "./memories/memories-screen.tsx";
export { ApprovalQuestion } from "./session/later/approval-question.tsx";
export { CitationsPart } from "./session/later/citations.tsx";
export { FollowUps } from "./session/later/follow-ups.tsx";
export { ForkButton } from "./session/later/fork/fork-button.tsx";
export { Lineage } from "./session/later/fork/lineage.tsx";
export { SteeringBox } from "./session/later/steering-box.tsx";
export { TimeSlider } from "./session/later/time-slider.tsx";
export { Unread } from "./session/later/unread.tsx";
export { ReviewBar } from "./sessions/review-bar.tsx";
export { SubmitScreen } from "./submit/submit-screen.tsx";
export { SystemScreen } from "./system/system-screen.tsx";
export { TraceScreen } from "./trace/trace-screen.tsx";
export { TriageScreen } from "./triage/triage-screen.tsx";
export { UsageScreen } from "./usage/usage-screen.tsx";
