import { execFile, spawn } from "node:child_process";
import { isJsonObject } from "#shared/json-object.ts";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/**
 * Records what real MCP servers list as their tools, for the tests of tool schemas:
 *
 *   node scripts/record-tool-listings.ts [package …]
 *
 * Installs each package into a directory of its own, without install scripts, starts it on stdio with values that lead
 * nowhere, asks for its tools and writes them to services/llm-gateway/test/tool-listings/. Only packages whose licence
 * allows copies are in the list.
 */
interface McpPackage {
  readonly package: string;
  readonly version: string;
  /** Its licence, by its package.json or its repository. */
  readonly licence: string;
  /** Inside of the package. */
  readonly entry: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const MCP_PROJECT = "MIT or Apache-2.0, github.com/modelcontextprotocol/servers";
const PACKAGES: readonly McpPackage[] = [
  {
    package: "@modelcontextprotocol/server-everything",
    version: "2026.8.31",
    licence: MCP_PROJECT,
    entry: "dist/index.js",
    args: ["stdio"],
  },
  {
    package: "@modelcontextprotocol/server-filesystem",
    version: "2026.8.31",
    licence: MCP_PROJECT,
    entry: "dist/index.js",
    args: [tmpdir()],
  },
  {
    package: "@modelcontextprotocol/server-memory",
    version: "2026.8.31",
    licence: MCP_PROJECT,
    entry: "dist/index.js",
  },
  {
    package: "@modelcontextprotocol/server-sequential-thinking",
    version: "2026.8.31",
    licence: MCP_PROJECT,
    entry: "dist/index.js",
  },
  {
    package: "@modelcontextprotocol/server-github",
    version: "2025.4.8",
    licence: "MIT",
    entry: "dist/index.js",
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: "none" },
  },
  {
    package: "@modelcontextprotocol/server-gitlab",
    version: "2025.4.25",
    licence: "MIT",
    entry: "dist/index.js",
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: "none" },
  },
  {
    package: "@modelcontextprotocol/server-slack",
    version: "2025.4.25",
    licence: "MIT",
    entry: "dist/index.js",
    env: { SLACK_BOT_TOKEN: "none", SLACK_TEAM_ID: "none" },
  },
  // Earlier versions, whose schemas made calls fail for their users.
  {
    package: "@notionhq/notion-mcp-server",
    version: "1.9.0",
    licence: "MIT",
    entry: "bin/cli.mjs",
    env: { NOTION_TOKEN: "none" },
  },
  {
    package: "@digitalocean/mcp",
    version: "1.0.30",
    licence: "MIT",
    entry: "index.js",
    env: { DIGITALOCEAN_API_TOKEN: "none" },
  },
  {
    package: "@notionhq/notion-mcp-server",
    version: "2.5.2",
    licence: "MIT",
    entry: "bin/cli.mjs",
    env: { NOTION_TOKEN: "none" },
  },
  { package: "@playwright/mcp", version: "0.0.83", licence: "Apache-2.0", entry: "cli.js" },
  { package: "@upstash/context7-mcp", version: "4.1.1", licence: "MIT", entry: "dist/index.js" },
  { package: "mcp-server-kubernetes", version: "4.1.7", licence: "MIT", entry: "dist/index.js" },
  {
    package: "@elastic/mcp-server-elasticsearch",
    version: "0.3.1",
    licence: "Apache-2.0",
    entry: "dist/index.js",
    env: { ES_URL: "http://127.0.0.1:9", ES_API_KEY: "none" },
  },
  {
    package: "prometheus-mcp",
    version: "1.1.3",
    licence: "MIT",
    entry: "dist/index.mjs",
    args: ["stdio"],
    env: { PROMETHEUS_URL: "http://127.0.0.1:9" },
  },
  {
    package: "@digitalocean/mcp",
    version: "1.0.70",
    licence: "MIT",
    entry: "index.js",
    args: ["--services", "apps,databases,droplets,doks,networking,insights,spaces,accounts"],
    env: { DIGITALOCEAN_API_TOKEN: "none" },
  },
  {
    package: "chrome-devtools-mcp",
    version: "1.11.0",
    licence: "Apache-2.0",
    entry: "build/src/bin/chrome-devtools-mcp.js",
  },
  {
    package: "@zereight/mcp-gitlab",
    version: "2.1.64",
    licence: "MIT",
    entry: "build/index.js",
    env: {
      GITLAB_PERSONAL_ACCESS_TOKEN: "none",
      GITLAB_API_URL: "http://127.0.0.1:9/api/v4",
      USE_PIPELINE: "true",
      USE_MILESTONE: "true",
      USE_GITLAB_WIKI: "true",
    },
  },
];

const OUT = "services/llm-gateway/test/tool-listings";
const ANSWER_WITHIN_MS = 60_000;
const run = promisify(execFile);

async function record(server: McpPackage, directory: string): Promise<unknown[]> {
  const { package: name, version, entry, args = [], env = {} } = server;
  const home = join(directory, name.replaceAll(/\W/gu, "_"));
  await mkdir(home, { recursive: true });
  await writeFile(join(home, "package.json"), "{}");
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", "--prefer-offline"];
  await run("npm", ["install", ...flags, `${name}@${version}`], { cwd: home });
  const child = spawn(process.execPath, [join(home, "node_modules", name, entry), ...args], {
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  try {
    return await listTools(child.stdin, child.stdout);
  } finally {
    child.kill("SIGKILL");
  }
}

async function listTools(input: NodeJS.WritableStream, output: NodeJS.ReadableStream): Promise<unknown[]> {
  const lines = createInterface({ input: output, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const client = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "recorder", version: "1" },
  };
  send({ id: 0, method: "initialize", params: client });
  const tools: unknown[] = [];
  let page = 0;
  for await (const line of lines) {
    const answer = answerIn(line);
    if (answer?.["id"] === 0) {
      send({ method: "notifications/initialized" });
      send({ id: ++page, method: "tools/list", params: {} });
    } else if (answer?.["id"] === page) {
      const result = answer["result"];
      const listed: unknown = isJsonObject(result) ? result["tools"] : undefined;
      if (!isJsonObject(result) || !Array.isArray(listed)) throw new Error(line.slice(0, 500));
      tools.push(...listed.filter(isJsonObject));
      if (typeof result["nextCursor"] !== "string") return tools;
      send({ id: ++page, method: "tools/list", params: { cursor: result["nextCursor"] } });
    }
  }
  throw new Error("the server ended without a listing");
}

/** Servers also print other lines. */
function answerIn(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const directory = await mkdtemp(join(tmpdir(), "tool-listings-"));
try {
  const problems: string[] = [];
  const wanted = process.argv.slice(2);
  for (const server of PACKAGES.filter((each) => wanted.length === 0 || wanted.includes(each.package))) {
    const { package: name, version, licence } = server;
    try {
      const listed = await record(server, directory);
      const tools = listed.filter(isJsonObject).map((tool) => {
        const { name: tool_name, description, inputSchema } = tool;
        return { name: tool_name, description, inputSchema };
      });
      const file = join(OUT, `${name.replaceAll(/^@|\W+$/gu, "").replaceAll(/\W+/gu, "-")}-${version}.json`);
      const lines = tools.map((tool) => JSON.stringify(tool)).join(",\n");
      const head = JSON.stringify({ package: name, version, licence }).slice(0, -1);
      await mkdir(OUT, { recursive: true });
      await writeFile(file, `${head},"tools":[\n${lines}\n]}\n`);
      process.stdout.write(`${file}: ${tools.length} tools, ${(await readFile(file)).length} bytes\n`);
    } catch (error) {
      problems.push(`${name}: ${String(error)}`);
    }
  }
  if (problems.length > 0) {
    process.stderr.write(`${problems.join("\n")}\n`);
    process.exitCode = 1;
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
