import { URL_SETTING } from "#shared/agent-config/complete-server.ts";
import { isSet } from "#shared/agent-config/found/find-keys.ts";
import type { PackFile } from "#shared/agent-config/schemas/pack-file.ts";
import type { Environment } from "#shared/service/environment.ts";
import { UsageError, type CommandCall } from "../command.ts";

const TOKEN_SETTING = "token";

/** What `--url` and `--token-env` say for a pack. */
export interface GivenSettings {
  /** For `.env`. */
  readonly variables: Readonly<Record<string, string>>;
  /** For the entry of the server. */
  readonly settings: Readonly<Record<string, string>>;
  /** The required variables that are not set. */
  readonly missing: readonly string[];
}

/** Reads the options; `env` has the variables of the configuration directory. Throws UsageError for those that do not fit the pack. */
export function givenSettings({ option }: CommandCall, pack: PackFile, env: Environment): GivenSettings {
  const { [URL_SETTING]: address, [TOKEN_SETTING]: token } = pack.settings ?? {};
  const [url, tokenVariable] = [option("url"), option("token-env")];
  const refuse = (isWrong: boolean, message: string) => {
    if (isWrong) throw new UsageError(message);
  };
  if (url !== undefined) {
    refuse(address === undefined, `--url: the pack ${pack.pack} has no address`);
    refuse(
      address?.secret === true,
      `--url: the address is a secret: set ${address?.env} in tool-runner.env`,
    );
    const isUrl = /^https?:\/\/[^#\s'"]+$/u.test(url) && URL.canParse(url);
    refuse(!isUrl, `--url is "${url}": it must be a URL such as http://localhost:9090`);
    const known = env[address?.env ?? ""] ?? url;
    refuse(known !== url, `--url is ${url}, but ${address?.env} is set to another value: change it there`);
  }
  if (tokenVariable !== undefined) {
    refuse(token === undefined, `--token-env: the pack ${pack.pack} has no token`);
    const isName = /^[A-Za-z_]\w*$/u.test(tokenVariable);
    refuse(!isName, "--token-env must be the name of a variable, not its value");
  }
  const variables = url === undefined || address === undefined ? {} : { [address.env]: url };
  const isOther = tokenVariable !== undefined && tokenVariable !== token?.env;
  const missing = Object.entries(pack.settings ?? {}).flatMap(([name, { env: own, required }]) => {
    const variable = isOther && name === TOKEN_SETTING ? tokenVariable : own;
    const isMissing = required === true && !isSet({ ...env, ...variables }, variable);
    return isMissing ? [variable] : [];
  });
  return { variables, settings: isOther ? { [TOKEN_SETTING]: `{{.${tokenVariable}}}` } : {}, missing };
}
