import type { Static, TSchema } from "typebox";
import type { ACCESS } from "../../services/api/access/contract.ts";
import type { AGUI } from "../../services/api/agui/contract.ts";
import type { ALERTS } from "../../services/api/alerts/contract.ts";
import type { APPROVALS } from "../../services/api/approvals/contract.ts";
import type { BUDGETS } from "../../services/api/budgets/contract.ts";
import type { CASSETTES } from "../../services/api/cassettes/contract.ts";
import type { CHAT } from "../../services/api/chat/contract.ts";
import type { COMPARISON } from "../../services/api/comparison/contract.ts";
import type { CONCLUSIONS } from "../../services/api/conclusions/contract.ts";
import type { FORKS } from "../../services/api/forks/contract.ts";
import type { INCIDENTS } from "../../services/api/incidents/contract.ts";
import type { MEMORIES } from "../../services/api/memories/contract.ts";
import type { NOTIFICATIONS } from "../../services/api/notifications/contract.ts";
import type { PARKING } from "../../services/api/parking/contract.ts";
import type { REVIEWS } from "../../services/api/reviews/contract.ts";
import type { RUNBOOKS } from "../../services/api/runbooks/contract.ts";
import type { SCORES } from "../../services/api/scores/contract.ts";
import type { SESSIONS } from "../../services/api/sessions/contract.ts";
import type { SIGN_IN } from "../../services/api/sign-in/contract.ts";
import type { STEERING } from "../../services/api/steering/contract.ts";
import type { SYSTEM } from "../../services/api/system/contract.ts";
import type { TRACE } from "../../services/api/trace/contract.ts";
import type { USAGE } from "../../services/api/usage/contract.ts";
import type { WEBHOOKS } from "../../services/api/webhooks/contract.ts";
import type { Endpoint } from "../../services/api/http/endpoint.ts";

type All = typeof ACCESS &
  typeof AGUI &
  typeof ALERTS &
  typeof APPROVALS &
  typeof BUDGETS &
  typeof CASSETTES &
  typeof CHAT &
  typeof COMPARISON &
  typeof CONCLUSIONS &
  typeof FORKS &
  typeof INCIDENTS &
  typeof MEMORIES &
  typeof NOTIFICATIONS &
  typeof PARKING &
  typeof REVIEWS &
  typeof RUNBOOKS &
  typeof SCORES &
  typeof SESSIONS &
  typeof SIGN_IN &
  typeof STEERING &
  typeof SYSTEM &
  typeof TRACE &
  typeof USAGE &
  typeof WEBHOOKS;
type NameOf<E> = E extends Endpoint ? `${Uppercase<E["method"]>} ${E["path"]}` : never;
type ApiContracts = { readonly [K in keyof All as NameOf<All[K]>]: All[K] };

/** A route of the api, e.g. `GET /api/v1/sessions/:id`. */
export type ApiRoute = keyof ApiContracts;

type StaticOf<S> = S extends TSchema ? Static<S> : undefined;
type MemberOf<C, K extends string> = C extends Readonly<Record<K, infer M>> ? M : undefined;
type Given<S> = S extends TSchema ? Partial<Static<S>> : undefined;
type SchemaOf<R> = R extends { readonly schema: infer S } ? StaticOf<S> : undefined;

/** The body with which a route answers when it succeeds; undefined if it has none. */
export type ApiResponse<R extends ApiRoute> = {
  [Status in keyof ApiContracts[R]["responses"]]: SchemaOf<ApiContracts[R]["responses"][Status]>;
}[keyof ApiContracts[R]["responses"]];

/** The parts of a request of a route. */
export interface ApiRequest<R extends ApiRoute> {
  /** The values of the path's parameters. */
  readonly params?: StaticOf<MemberOf<ApiContracts[R], "params">>;
  readonly query?: Given<MemberOf<ApiContracts[R], "query">>;
  readonly body?: SchemaOf<MemberOf<ApiContracts[R], "body">>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Statuses of failure whose body the contract describes: it is the answer then. */
  readonly accepts?: readonly number[];
}
