import { printable } from "../terminal/terminal-style.ts";
import type { Found } from "./found.ts";
import { chosenProvider } from "./found.ts";

/** What was found and what was not, one line each. `asked` are the addresses that were asked for a model. */
export function foundReport(found: Found, asked: readonly string[]): string {
  const { keys, models, kubeconfig, hasKubernetesServer } = found;
  const chosen = chosenProvider(found);
  const lines = [
    ...keys.map(({ variable, provider }) => `found      ${variable}: provider ${provider}`),
    ...models.map(({ name, url, model }) => `found      ${name} at ${url} with ${model}`),
    ...(kubeconfig === undefined
      ? []
      : [`found      ${kubeconfig.path}: context ${kubeconfig.context}, to be read only`]),
    ...(keys.length === 0 ? ["not found  an API key in the environment, such as GOOGLE_API_KEY"] : []),
    ...(models.length === 0 ? [`not found  a model server at ${asked.join(", ")}`] : []),
    ...(kubeconfig === undefined ? ["not found  a kubeconfig with a current context"] : []),
    ...(kubeconfig === undefined || hasKubernetesServer
      ? []
      : ["not found  kubernetes-mcp-server on the PATH: the server is written as a comment"]),
    ...(chosen === undefined ? [] : [`agents use ${chosen}`]),
  ];
  return lines.map((line) => `${printable(line)}\n`).join("");
}
