/** The reasons why a server's tools are not available, keyed by the code of the failed listing. */
const REASONS: Readonly<Record<string, string>> = {
  unreachable: "it cannot be reached",
  circuit_open: "it could not be reached lately",
  closed: "it ended the connection",
  not_listed_yet: "it does not answer in time",
  timeout: "it does not answer in time",
  busy: "the tool-runner has no room for it",
  rate_limited: "it is asked too often",
  unauthorized: "it refuses the credentials",
  no_runner: "no tool-runner answers",
  misconfigured: "its configuration is not complete",
};
const OTHER = "it does not answer as it should";

/**
 * Why a server's tools are not available, in words of this program: the failure's own text may be written by the server, and
 * a system message holds no text from outside.
 */
export function unavailableReason(code: string | undefined): string {
  return (code === undefined ? undefined : REASONS[code]) ?? OTHER;
}
