import { McpServer } from "#shared/agent-config/schemas/mcp-server.ts";
import { Name, Text, VariableName, Whole } from "#shared/agent-config/schemas/schema-parts.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";

const { auth, call_timeout, connect_timeout, data_masking, instructions, isolation } = McpServer.properties;
const Names = Type.Optional(Type.Array(Name));

/** SHA-256 of a tool's `{name, description, inputSchema}` with sorted keys. */
export const DefinitionHash = Type.String({
  pattern: "^[0-9a-f]{64}$",
  rule: "must be a SHA-256: 64 hexadecimal digits",
});

/** A file of `packs/`: a server, how it is installed and started, what its tools do, and how they were described. */
export const PackFile = Type.Object({
  pack: Type.String({
    // `bin` is the folder of the links to all programs.
    pattern: "^(?!bin$)[a-z0-9]+(?:-[a-z0-9]+)*$",
    rule: "must be lower-case letters, digits and hyphens, and not bin",
  }),
  /** Takes the place of the pack of this name that comes with TARSy. */
  replaces_shipped: Type.Optional(Type.Boolean()),
  server: Type.Optional(
    Type.Object({
      name: Name,
      version: Type.String({ pattern: "^[0-9][\\w.+-]*$", rule: "must be an exact version" }),
      from: Type.Enum(["npm", "pypi"]),
      integrity: Type.Optional(
        Type.String({ pattern: "^sha512-[A-Za-z0-9+/]{86}==$", rule: "must be npm's sha512-…" }),
      ),
      bin: Type.String({
        pattern: "^[A-Za-z0-9][\\w.-]*$",
        rule: "must be the name of a program of the package, without folders",
      }),
      /** The program below node_modules by platform, such as `linux-x64`, where `bin` would only start another one. */
      programs: Type.Optional(Type.Record(Type.String(), Name)),
      /** The oldest Python that it runs with. */
      python: Type.Optional(Type.String({ pattern: "^3\\.[0-9]+$", rule: "must be a version such as 3.12" })),
    }),
  ),
  transport: Type.Object({
    type: Type.Enum(["stdio", "http"]),
    command: Type.Optional(Name),
    args: Type.Optional(Type.Array(Text)),
    env: Type.Optional(Type.Record(Type.String(), Text)),
    url: Type.Optional(Name),
  }),
  auth,
  settings: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({
        env: VariableName,
        required: Type.Optional(Type.Boolean()),
        secret: Type.Optional(Type.Boolean()),
        header: Type.Optional(Name),
      }),
    ),
  ),
  tools: Type.Object({
    read: Names,
    idempotent: Names,
    write: Names,
    destructive: Names,
    deny: Names,
    approve: Names,
  }),
  definitions: Type.Optional(Type.Record(Type.String(), DefinitionHash)),
  unlisted: Type.Optional(Type.Boolean()),
  probe: Type.Optional(
    Type.Object({
      tool: Name,
      arguments: Type.Optional(Type.Record(Type.String(), Text)),
      expect: Type.Optional(Type.Object({ not_matching: Name })),
    }),
  ),
  discover: Type.Optional(
    Type.Object({
      labels: Type.Optional(Type.Record(Type.String(), Name)),
      names: Names,
      port: Whole(1, 65_535),
    }),
  ),
  instructions,
  isolation,
  connect_timeout,
  call_timeout,
  data_masking,
});
export type PackFile = Static<typeof PackFile>;

/** The file beside `tarsy.yaml` with the definitions of tools that a person accepted: hash by server id and tool. */
export const AcceptedToolsFile = Type.Object({
  servers: Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), DefinitionHash))),
});
