import type { TObject } from "typebox";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import packageJson from "../../../package.json" with { type: "json" };
import type { Endpoint } from "../http/endpoint.ts";
import { ErrorResponse } from "../http/common-schemas.ts";
import { Components } from "./collect-components.ts";
import { webhookOperation } from "./webhook-operation.ts";
import { ERROR_STATUSES, errorStatusesOf } from "./error-responses.ts";

/** An endpoint with the name of its operation. */
type DocumentedRoute = Endpoint & { readonly id: string };

const JSON_TYPE = "application/json";

const METHODS = ["get", "post", "put", "patch", "delete"];

/** The OpenAPI 3.1 document of these routes, by path. Throws an Error for contracts that contradict each other. */
export function openApiDocument(routes: readonly DocumentedRoute[]) {
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes.toSorted(byPath)) {
    const path = (paths[templateOf(route.path)] ??= {});
    path[route.method] = operation(route, components);
  }
  const notification = webhookOperation(components);
  const error = { [JSON_TYPE]: { schema: components.use(ErrorResponse) } };
  return {
    openapi: "3.1.1",
    info: {
      title: "TARSy",
      version: packageJson.version,
      description: "Alerts in over HTTP, agents investigate, every step is stored and streamed live.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    // Under `npm start`, requests from the machine itself need no credential.
    security: [{ bearer: [] }, {}],
    paths,
    webhooks: { notification },
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "an API key or a token of the identity provider",
        },
      },
      responses: Object.fromEntries(
        Object.entries(ERROR_STATUSES).map(([status, description]) => [
          `Error${status}`,
          {
            description,
            ...(status === "429" || status === "503" ? { headers: RETRY_AFTER } : {}),
            content: error,
          },
        ]),
      ),
      schemas: components.all,
    },
  };
}

const RETRY_AFTER = { "Retry-After": { description: "seconds", schema: { type: "integer" } } };

/** In the order of the templates, so that a fixed word stands before a parameter; of one path by method. */
export function byPath(one: Place, other: Place): number {
  const [a, b] = [templateOf(one.path), templateOf(other.path)];
  return a === b ? METHODS.indexOf(one.method) - METHODS.indexOf(other.method) : a < b ? -1 : 1;
}

type Place = Pick<Endpoint, "method" | "path">;

/** `/api/v1/sessions/:id` becomes `/api/v1/sessions/{id}`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/gu, "{$1}");
}

function operation(route: DocumentedRoute, components: Components): object {
  const { id, action, tag, summary, description, params, query, headers, body, responses } = route;
  const parameters = [
    ...parametersOf("path", params, components),
    ...parametersOf("query", query, components),
    ...parametersOf("header", headers, components),
  ];
  const errors = errorStatusesOf(route);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(action === undefined ? { security: [] } : { "x-action": action }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { [body.type ?? JSON_TYPE]: withExample(components.use(body.schema), body.example) },
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [
          status,
          success(body === undefined ? response : withWarnings(response), components),
        ]),
      ),
      ...Object.fromEntries(
        errors.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
      ),
    },
  };
}

/** Of what a body had that the route does not know. Bodies that are an alert as a whole have everything. */
const WARNINGS = Type.Object({
  warnings: Type.Optional(
    Type.Array(Type.String(), { description: "which members of the body are unknown and were ignored" }),
  ),
});

function withWarnings(response: Endpoint["responses"][number]): Endpoint["responses"][number] {
  const { schema } = response;
  if (schema === undefined) return response;
  const title = "title" in schema ? { title: schema.title } : {};
  return { ...response, schema: { ...title, allOf: [schema, WARNINGS] } };
}

function success(
  { description, schema, or, example }: Endpoint["responses"][number],
  components: Components,
): object {
  if (schema === undefined && or === undefined) return { description };
  const json = schema === undefined ? {} : { [JSON_TYPE]: withExample(components.use(schema), example) };
  const other = or === undefined ? {} : { [or]: { schema: { type: "string" } } };
  return { description, content: { ...json, ...other } };
}

function withExample(schema: unknown, example: unknown): object {
  return { schema, ...(example === undefined ? {} : { example }) };
}

function parametersOf(place: string, schema: TObject | undefined, components: Components): object[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const converted = components.use(property);
    const description =
      typeof property === "object" && "description" in property ? property.description : undefined;
    const isRequired = schema?.required?.includes(name) === true && !("default" in property);
    return {
      name,
      in: place,
      required: isRequired,
      ...(description === undefined ? {} : { description }),
      schema: converted,
    };
  });
}
