import { randomBytes } from "node:crypto";
import type { NatsUser } from "#shared/contracts/bus-users.ts";
import { BUS_USERS, type BusUser } from "#shared/contracts/subjects.ts";
import { natsUrlOf } from "../../launcher/nats/nats-passwords.ts";
import type { ServiceName } from "./spawn-service.ts";

/** Who connects: one of the system's users, or the test itself, which may do everything. */
export type NatsRole = BusUser | "test";

const ROLES: readonly NatsRole[] = [...BUS_USERS, "test"];

/** The users of one test: those of production, and one that may do everything. */
export class NatsUsers {
  readonly #prefix: string;
  readonly #password: string;

  /** `prefix` makes the names differ from those of other accounts on the same server. */
  constructor(prefix = "", password = randomBytes(12).toString("hex")) {
    this.#prefix = prefix;
    this.#password = password;
  }

  /** For the server's configuration. */
  get list(): readonly NatsUser[] {
    return ROLES.map((role) => ({
      name: `${this.#prefix}${role}`,
      password: JSON.stringify(this.#password),
      may: role === "test" ? "all" : role,
    }));
  }

  /** The URL of a server, or several separated by commas, for this user. */
  url(servers: string, role: NatsRole): string {
    return servers
      .split(",")
      .map((server) => natsUrlOf(server, `${this.#prefix}${role}`, this.#password))
      .join(",");
  }
}

/** The variables with which a service reaches NATS, as the launcher sets them. */
export function natsEnvironment(
  service: ServiceName,
  urlOf: (role: NatsRole) => string,
): Readonly<Record<string, string>> {
  if (service === "llm-gateway") return {};
  const admin = service === "api" ? { NATS_ADMIN_URL: urlOf("stream-admin") } : {};
  return { NATS_URL: urlOf(service), ...admin };
}
