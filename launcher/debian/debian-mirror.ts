import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

type DebianMirror = {
  readonly uri: string;
  /** The key file that verifies its releases; `undefined` for apt's trusted keys. */
  readonly keyring: string | undefined;
  /** The name of this machine's release, or what its sources call it. */
  readonly release: string;
};

type PackageSource = {
  readonly uri: string;
  readonly suites: readonly string[];
  readonly signedBy: string | undefined;
};

const defaultKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

function words(text: string | undefined): string[] {
  return (text ?? "").split(/\s+/).filter((word) => word !== "");
}

/** Sources in the deb822 form (`*.sources`): paragraphs of `Key: value`, continued by indented lines. */
function parseDeb822(text: string): PackageSource[] {
  return text.split(/\n\s*\n/).flatMap((paragraph) => {
    const fields = new Map<string, string>();
    let key = "";
    for (const line of paragraph.split("\n")) {
      if (line.startsWith("#")) continue;
      const match = /^([A-Za-z0-9-]+):(.*)$/.exec(line);
      if (match?.[1] !== undefined) key = match[1].toLowerCase();
      fields.set(key, `${fields.get(key) ?? ""} ${match?.[2] ?? line}`);
    }
    const enabled = fields.get("enabled")?.trim().toLowerCase() !== "no";
    if (!enabled || !words(fields.get("types")).includes("deb")) return [];
    if (!words(fields.get("components")).includes("main")) return [];
    const suites = words(fields.get("suites"));
    const signedBy = words(fields.get("signed-by")).find((word) => word.startsWith("/"));
    return words(fields.get("uris")).map((uri) => ({ uri, suites, signedBy }));
  });
}

/** Sources in the one-line form (`*.list`): `deb [options] uri suite component…`. */
function parseOneLine(text: string): PackageSource[] {
  return text.split("\n").flatMap((line) => {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+(.*)$/.exec(line.replace(/#.*$/, ""));
    if (match === null || !words(match[4]).includes("main")) return [];
    const signedBy = /signed-by=(\/[^\s,]+)/i.exec(match[1] ?? "")?.[1];
    return [{ uri: match[2] ?? "", suites: [match[3] ?? ""], signedBy }];
  });
}

function readSources(etcApt: string): PackageSource[] {
  const parts = join(etcApt, "sources.list.d");
  const files = [
    join(etcApt, "sources.list"),
    ...(existsSync(parts)
      ? readdirSync(parts)
          .sort()
          .map((name) => join(parts, name))
      : []),
  ];
  return files
    .filter((path) => existsSync(path))
    .flatMap((path) => {
      if (path.endsWith(".sources")) return parseDeb822(readFileSync(path, "utf8"));
      return path.endsWith(".list") ? parseOneLine(readFileSync(path, "utf8")) : [];
    });
}

/**
 * Finds the Debian mirror in this machine's apt sources below `etc` (`/etc`).
 * @throws Error if the machine is not Debian or names no mirror; the message is a sentence fragment.
 */
export function findDebianMirror(etc = "/etc"): DebianMirror {
  const release = join(etc, "os-release");
  const system = existsSync(release) ? readFileSync(release, "utf8") : "";
  if (!/^ID="?debian"?$/m.test(system)) throw new Error("this machine does not run Debian");
  const codename = /^VERSION_CODENAME="?(\w+)"?$/m.exec(system)?.[1];
  const own = new Set([codename, "stable", "oldstable", "testing", "unstable", "sid"]);
  const source = readSources(join(etc, "apt")).find(({ suites }) => suites.some((suite) => own.has(suite)));
  if (source === undefined) throw new Error("this machine's apt sources name no Debian mirror");
  const keyring = source.signedBy ?? (existsSync(defaultKeyring) ? defaultKeyring : undefined);
  return { uri: source.uri, keyring, release: codename ?? source.suites[0] ?? "stable" };
}
