// The screens that few open, in one file: apart they would have a quarter of their size again in small shared files.
export { SubmitScreen } from "./submit/submit-screen.tsx";
export { SystemScreen } from "./system/system-screen.tsx";
export { TraceScreen } from "./trace/trace-screen.tsx";
export { UsageScreen } from "./usage/usage-screen.tsx";
