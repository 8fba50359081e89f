import type { TObject, TSchema } from "typebox";
import type { Action } from "#shared/access/authorize.ts";

/** A successful response of one status. */
interface ResponseContract {
  readonly description: string;
  /** Of the JSON body; absent for a response without one. */
  readonly schema?: TSchema;
  /** Another media type in which the body may come instead, if the client asks for it or if there is no JSON. */
  readonly or?: string;
  readonly example?: unknown;
}

/** A route: where it is, who may use it, what clients may send and what it answers. The document adds the errors of every route. */
export interface Endpoint {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly path: string;
  /** What it needs a role for; undefined if every caller may use it. */
  readonly action: Action | undefined;
  readonly summary: string;
  readonly tag:
    | "alerts"
    | "sessions"
    | "approvals"
    | "review"
    | "memories"
    | "usage"
    | "system"
    | "access"
    | "mcp";
  readonly description?: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: { readonly schema: TSchema; readonly example?: unknown; readonly type?: string };
  /** By status; the first is the one of an answer that sets no other. */
  readonly responses: Readonly<Record<number, ResponseContract>>;
  /** Statuses of errors that other routes do not have. */
  readonly errors?: readonly (401 | 404 | 409 | 410 | 422)[];
}

/** The routes of a resource, by the names of the operations in generated clients. */
export type Endpoints = Readonly<Record<string, Endpoint>>;
