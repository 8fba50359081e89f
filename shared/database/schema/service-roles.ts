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

/** A function that runs with the rights of the owner of the tables, for what the roles of the services may not do. */
export interface OwnedFunction {
  readonly name: string;
  /** "name type, …" */
  readonly parameters: string;
  readonly returns: string;
  readonly language: "sql" | "plpgsql";
  /** Names every table with its schema, because the search path holds none; `schema` is a quoted identifier. */
  readonly body: (schema: string) => string;
  /** The services that may call it. */
  readonly execute: readonly DatabaseService[];
}
