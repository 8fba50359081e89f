/** A directory of a repository on GitHub. */
export interface RunbookRepository {
  /** Includes its port where it is not 443. */
  readonly host: string;
  /** "owner/name" */
  readonly repository: string;
  /** A branch or a tag; HEAD for the default branch. */
  readonly revision: string;
  /** Has no slashes at its ends; empty for the whole repository. */
  readonly directory: string;
}

const NAME = /^[\w.-]+$/u;

/**
 * Reads `system.runbooks.repo_url`: `https://github.com/OWNER/NAME`, with `/tree/BRANCH/DIRECTORY` for a part of it. Returns the
 * rule that it breaks as a text.
 */
export function parseRunbookRepository(repoUrl: string): RunbookRepository | string {
  const url = URL.parse(repoUrl.trim());
  const host = url?.host.replace(/^www\./u, "") ?? "";
  if (url?.protocol !== "https:" || host.split(":")[0] !== "github.com") {
    return "must be an https address of github.com";
  }
  if (url.username !== "" || url.password !== "") return "must not have a user name or a password";
  const [owner = "", name = "", tree, revision = "HEAD", ...directory] = url.pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decoded);
  const isTree = tree === undefined || (tree === "tree" && revision !== "HEAD");
  if (!NAME.test(owner) || !NAME.test(name) || !NAME.test(revision) || !isTree) {
    return "must be https://github.com/OWNER/REPOSITORY or https://github.com/OWNER/REPOSITORY/tree/BRANCH/DIRECTORY";
  }
  return {
    host,
    repository: `${owner}/${name.replace(/\.git$/u, "")}`,
    revision,
    directory: directory.join("/"),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
