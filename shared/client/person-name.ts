import { NO_USER } from "#shared/contracts/no-user.ts";

/** The name of a person or program as people read it: one that nothing names is an operator, with whose rights it acts. */
export function personName(name: string): string {
  return name === NO_USER ? "operator" : name;
}

/**
 * The meaning of an entry of the type `user_question`, by its metadata: a message to the agents of a running session says who wrote it and
 * what it asks for, an incident's alerts say so. Undefined for a question about an investigation.
 */
export function messageTitle(metadata: unknown): string | undefined {
  const members = new Map<string, unknown>(Object.entries(metadata ?? {}));
  const author = members.get("author");
  const name = typeof author === "string" ? personName(author) : "a person";
  switch (members.get("steering")) {
    case "note":
      return `Note from ${name}`;
    case "conclude":
      return `Asked to conclude by ${name}`;
    case "skip_tool":
      return `Asked to skip tool calls by ${name}`;
    default:
      return members.has("evidence") ? "Alerts joined" : undefined;
  }
}
