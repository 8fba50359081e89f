import type { TObject, TSchema } from "typebox";

/** A successful response of one status. */
interface ResponseContract {
  readonly description: string;
  /** Of the JSON body; absent for a response without a body. */
  readonly schema?: TSchema;
  /** Another media type in which the body may come instead, if the client asks for it. */
  readonly or?: string;
  readonly example?: unknown;
}

/** What clients may send to a route and what it answers. The errors of every route are added by the document. */
export interface RouteContract {
  /** Names the operation in generated clients. */
  readonly id: string;
  readonly summary: string;
  readonly tag: "alerts" | "sessions" | "approvals" | "review" | "memories" | "usage" | "system" | "access";
  readonly description?: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: { readonly schema: TSchema; readonly example?: unknown; readonly type?: string };
  readonly responses: Readonly<Record<number, ResponseContract>>;
  /** Statuses of errors that other routes do not have. */
  readonly errors?: readonly (401 | 404 | 409 | 410 | 422)[];
}

/** Contracts by method and path, e.g. `GET /api/v1/sessions/:id`, as in the table of routes. */
export type RouteContracts = Readonly<
  Record<`${"GET" | "POST" | "PATCH" | "PUT" | "DELETE"} /${string}`, RouteContract>
>;
