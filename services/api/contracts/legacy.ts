import type { Endpoint } from "../http/endpoint.ts";

/** A contract whose method, path and action stand in the table of routes. */
export type RouteContract = Omit<Endpoint, "method" | "path" | "action"> & { readonly id: string };

/** Contracts by method and path, e.g. `GET /api/v1/sessions/:id`, as in the table of routes. */
export type RouteContracts = Readonly<
  Record<`${"GET" | "POST" | "PATCH" | "PUT" | "DELETE"} /${string}`, RouteContract>
>;
