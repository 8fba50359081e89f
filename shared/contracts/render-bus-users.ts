import { busPermissions, type BusPermissions } from "#shared/contracts/bus-users.ts";
import type { BusUser } from "#shared/contracts/subjects.ts";

/** A user of a NATS server. */
export interface NatsUser {
  /** The name that the server knows it by. */
  readonly name: string;
  /** A value of the server's configuration: a quoted string, or a variable such as `$NATS_API_PASSWORD`. */
  readonly password: string;
  /** Its rights; `all` is for tests and a server that nothing else uses. */
  readonly may: BusUser | "all";
}

function renderList(subjects: readonly string[]): string {
  return `[${subjects.map((subject) => `\n        ${JSON.stringify(subject)}`).join("")}\n      ]`;
}

function renderPermissions({ publish, subscribe, answersWithin }: BusPermissions): string {
  const answers =
    answersWithin === undefined ? "" : `\n      allow_responses: { max: 1, expires: "${answersWithin}" }`;
  // An empty allow list would allow everything.
  const published = publish.length === 0 ? `{ deny: ">" }` : `{ allow: ${renderList(publish)} }`;
  return `
    permissions: {
      publish: ${published}
      subscribe: { allow: ${renderList(subscribe)} }${answers}
    }`;
}

/** The list `users` of a NATS server's configuration, of its `authorization` or of one of its `accounts`. */
export function renderBusUsers(users: readonly NatsUser[]): string {
  const entries = users.map(
    ({ name, password, may }) => `  {
    user: ${JSON.stringify(name)}
    password: ${password}${may === "all" ? "" : renderPermissions(busPermissions(may, name))}
  }`,
  );
  return `users: [
${entries.join("\n")}
  ]`;
}
