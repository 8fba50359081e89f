/** The database role of each service. The llm-gateway has none: it does not use the database. */
export const SERVICE_ROLES = {
  api: "tarsy_api",
  executor: "tarsy_executor",
  "tool-runner": "tarsy_tool_runner",
  notifier: "tarsy_notifier",
} as const;

/** A service that uses the database. */
export type DatabaseService = keyof typeof SERVICE_ROLES;

/** In the order of the declaration. */
export const DATABASE_SERVICES: readonly DatabaseService[] = ["api", "executor", "tool-runner", "notifier"];
