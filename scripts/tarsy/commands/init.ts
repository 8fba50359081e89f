import { join, relative, resolve } from "node:path";
import { checkDirectory } from "#shared/agent-config/check-directory.ts";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { formatProblem } from "#shared/agent-config/config-problem.ts";
import { findKeys } from "#shared/agent-config/found/find-keys.ts";
import { errorMessage } from "#shared/errors.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { connectCluster } from "../../../launcher/packs/connect-cluster.ts";
import { projectPaths } from "../../../launcher/project-paths.ts";
import { UsageError, type Command, type CommandCall } from "../command.ts";
import { DIRECTORY, userDirectory } from "../config-dir.ts";
import { EXIT } from "../exit-codes.ts";
import { findModelServers, USUAL_SERVERS, type ModelServer } from "../init/find-model-servers.ts";
import { chosenProvider, type Found } from "../init/found.ts";
import { PROJECT_ROOT } from "../project-root.ts";
import { printable } from "../terminal/terminal-style.ts";
import { refuseExisting, writeConfiguration } from "../init/write-configuration.ts";

/** `tarsy init` */
export const initCommand: Command = {
  name: "init",
  args: "",
  maxArgs: 0,
  summary: "Writes a configuration for the API keys, local model and cluster it finds",
  details: `Looks at the names of variables with API keys, at the usual ports of model servers on 127.0.0.1, and at $KUBECONFIG or
~/.kube/config, whose cluster is asked for its version. Installs the program that reads a cluster below .tarsy/packs if there is one.
Makes one short call to the model. Shows no key, and changes neither a cluster nor an existing configuration.`,
  options: {
    dir: { value: "DIR", help: `the directory to write, created if missing (default ${DIRECTORY})` },
    "llm-url": { value: "URL", help: "asks this model server instead, e.g. http://localhost:8080/v1" },
    "no-call": { help: "makes no call to the model" },
    discover: {
      help: "instead: looks for the systems of packs among the cluster's Services, and adds those you agree to",
    },
    "kube-url": { value: "URL", help: "the address of kubectl proxy, for --discover without a kubeconfig" },
    yes: { help: "answers every question of --discover with yes" },
    force: { help: "replaces tarsy.yaml and llm-providers.yaml of the directory; an .env stays" },
  },
  run: async (call) => {
    const { option, flag, env, terminal, signal } = call;
    const userDir = userDirectory(call);
    const directory = resolve(userDir, option("dir") ?? DIRECTORY);
    if (flag("discover")) {
      const { discover } = await import("../packs/discover.ts");
      return discover(call, directory);
    }
    if (!flag("force")) refuseExisting(directory);
    const withFile = readConfigEnvironment(directory, env);
    const servers = serversToAsk(call);
    const found: Found = {
      keys: findKeys(withFile),
      models: await findModelServers(servers, signal),
      cluster: await connectCluster({
        directory: projectPaths(PROJECT_ROOT).packs,
        env,
        signal,
        progress: (line) => terminal.warn(`${line}\n`),
      }),
    };
    terminal.write(
      foundReport(
        found,
        servers.map(({ url }) => url),
      ),
    );
    if (chosenProvider(found) === undefined) {
      terminal.warn(NO_MODEL);
      return EXIT.failed;
    }
    const written = await writeConfiguration({ directory, found, force: flag("force") });
    terminal.write(`wrote      ${written.map((name) => join(directory, name)).join(", ")}\n`);
    const { errors, warnings } = await checkDirectory(directory, readConfigEnvironment(directory, env));
    for (const problem of [...errors, ...warnings]) terminal.warn(`${formatProblem(problem)}\n`);
    if (errors.length > 0) return EXIT.failed;
    const isAnswered = flag("no-call") || (await hasAnswer(call, directory));
    const command = `npm start -- --config-dir ${shellWord(shown(directory, userDir))}`;
    terminal.write(`next       ${command}\n`);
    if (found.keys.length > 0) {
      const variables = found.keys.map(({ variable }) => variable).join(", ");
      const file = join(shown(directory, userDir), ".env");
      terminal.write(`           needs ${variables}: exported, or written into ${file}\n`);
    }
    terminal.write('then       npm run alert -- --text "Disk full on db-7"\n');
    return isAnswered ? EXIT.done : EXIT.failed;
  },
};

/** Calls the model that was written down, and says what came back. */
async function hasAnswer({ env, terminal, signal }: CommandCall, directory: string): Promise<boolean> {
  const { askModel } = await import("../init/ask-model.ts");
  try {
    const configuration = { path: directory, env: readConfigEnvironment(directory, env) };
    const { model, reply, seconds } = await askModel(configuration, signal);
    const { outcome, text, usage } = reply;
    if (outcome.kind !== "completed") throw new Error(outcome.message);
    const tokens =
      usage === null
        ? ""
        : `, ${usage.inputTokens} tokens in, ${usage.outputTokens + usage.thinkingTokens} out`;
    const line = text.trim().replaceAll(/\s+/gu, " ");
    const said = line.slice(0, safeCut(line, MAX_SAID));
    terminal.write(
      `asked      ${printable(`${model}: ${JSON.stringify(said)} after ${seconds} s${tokens}`)}\n`,
    );
    return true;
  } catch (error) {
    signal.throwIfAborted();
    terminal.warn(
      `asked      ${printable(errorMessage(error))}\n           the configuration is written, but its model does not answer\n`,
    );
    return false;
  }
}

/** The length of an answer that is shown. */
const MAX_SAID = 80;

const NO_MODEL = `nothing was written: no model could investigate. One of these helps:
  GOOGLE_API_KEY=your-key npm run tarsy -- init   or another provider's key: docs/providers.md
  ollama serve, ollama pull qwen3:8b              then npm run tarsy -- init
  npm start                                       without any of them: a demo, whose model is a script
`;

function serversToAsk({ option }: CommandCall): readonly ModelServer[] {
  const given = option("llm-url");
  if (given === undefined) return USUAL_SERVERS;
  const { protocol } = URL.parse(given) ?? {};
  if (protocol !== "http:" && protocol !== "https:") {
    throw new UsageError(`--llm-url is "${given}": it must be a URL such as http://localhost:8080/v1`);
  }
  return [{ name: "A server", url: given.replace(/\/+$/u, "") }];
}

function shown(directory: string, userDir: string): string {
  const path = relative(userDir, directory);
  return path === "" || path.startsWith("..") ? directory : path;
}

function shellWord(text: string): string {
  return /^[\w./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The lines about each server that was found or not found. `asked` are the addresses that were asked for a model. */
function foundReport(found: Found, asked: readonly string[]): string {
  const { keys, models, cluster } = found;
  const chosen = chosenProvider(found);
  const lines = [
    ...keys.map(({ variable, provider }) => `found      ${variable}: provider ${provider}`),
    ...models.map(({ name, url, model }) => `found      ${name} at ${url} with ${model}`),
    ...(cluster.kubeconfig === undefined
      ? []
      : [`found      ${cluster.kubeconfig.path}: context ${cluster.kubeconfig.context}, to be read only`]),
    ...(keys.length === 0 ? ["not found  an API key in the environment, such as GOOGLE_API_KEY"] : []),
    ...(models.length === 0 ? [`not found  a model server at ${asked.join(", ")}`] : []),
    ...(cluster.kubeconfig === undefined ? [`not found  a cluster: ${cluster.problem}`] : []),
    ...(chosen === undefined ? [] : [`agents use ${chosen}`]),
  ];
  return lines.map((line) => `${printable(line)}\n`).join("");
}
