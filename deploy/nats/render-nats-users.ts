import { BUS_USERS, type BusPermissions } from "#shared/contracts/bus-users.ts";

/** The environment variable of a user's password, such as NATS_TOOL_RUNNER_PASSWORD. */
export function passwordVariable(user: string): string {
  return `NATS_${user.toUpperCase().replaceAll("-", "_")}_PASSWORD`;
}

function renderList(subjects: readonly string[]): string {
  return `[${subjects.map((subject) => `\n        ${JSON.stringify(subject)}`).join("")}\n      ]`;
}

function renderUser([user, { publish, subscribe, answersWithin }]: [string, BusPermissions]): string {
  const answers =
    answersWithin === undefined ? "" : `\n      allow_responses: { max: 1, expires: "${answersWithin}" }`;
  // An empty allow list would allow everything.
  const published = publish.length === 0 ? `{ deny: ">" }` : `{ allow: ${renderList(publish)} }`;
  return `  {
    user: ${JSON.stringify(user)}
    password: $${passwordVariable(user)}
    permissions: {
      publish: ${published}
      subscribe: { allow: ${renderList(subscribe)} }${answers}
    }
  }`;
}

/** The users and permissions of the NATS server's configuration, from `BUS_USERS`. */
export function renderNatsUsers(): string {
  return `# Written by \`npm run nats-users\` from shared/contracts/bus-users.ts: edit that file instead.
authorization {
  users: [
${Object.entries(BUS_USERS).map(renderUser).join("\n")}
  ]
}
`;
}
