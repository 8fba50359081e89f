import { renderBusUsers } from "#shared/contracts/bus-users.ts";
import { BUS_USERS } from "#shared/contracts/subjects.ts";

/** The environment variable of a user's password, such as NATS_TOOL_RUNNER_PASSWORD. */
export function passwordVariable(user: string): string {
  return `NATS_${user.toUpperCase().replaceAll("-", "_")}_PASSWORD`;
}

/** The users and permissions of the NATS server's configuration, with their passwords in its environment. */
export function renderNatsUsers(): string {
  const users = BUS_USERS.map((user) => ({ name: user, password: `$${passwordVariable(user)}`, may: user }));
  return `# Written by \`npm run nats-users\` from shared/contracts/bus-users.ts: edit that file instead.
authorization {
  ${renderBusUsers(users)}
}
`;
}
