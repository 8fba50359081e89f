import { isIP, type LookupFunction, BlockList } from "node:net";
import { checkedLookup, type Resolve } from "#shared/egress/checked-lookup.ts";
import { errorMessage } from "#shared/errors.ts";
import { isMetadataAddress } from "#shared/egress/is-metadata-address.ts";

/** The request is refused, or was not answered with what may be read. The message says why, for people. */
export class EgressError extends Error {}

/** A body, and its media type in small letters. */
interface TypedText {
  readonly type: string;
  readonly text: string;
}

/** The limits of a request to the outside. */
export interface EgressRules {
  /** The hosts that may be asked, in small letters, with the port where it is not 443. */
  readonly allowedHosts: readonly string[];
  /** The headers for a host, asked for again at each redirect, so that no host gets those of another. */
  readonly headersFor: (url: URL) => Readonly<Record<string, string>>;
  readonly maxBytes: number;
  /** The limit of the whole request with its redirects. */
  readonly timeoutMs: number;
  /** The reason why an answer is not what was asked for; by default every text is. */
  readonly refuses?: (answer: TypedText) => string | undefined;
  /** The addresses of a name; by default the system's. */
  readonly resolve?: Resolve;
  readonly isBlocked?: (address: string) => boolean;
  /** A certificate to trust in place of the system's. */
  readonly ca?: string;
}

const MAX_REDIRECTS = 3;

/**
 * The only way from this service to addresses that others name. GET over https with certificates checked, of allowed hosts only,
 * again at each of at most three redirects. A name is resolved once per connection, every address it has is checked, and the
 * connection goes to one of those: a second answer of the name server changes nothing. Resolves with the body as UTF-8 text.
 * Throws EgressError, and the signal's reason once it aborts.
 */
export async function guardedFetch(address: URL, rules: EgressRules, signal: AbortSignal): Promise<string> {
  // Loaded late: most tool-runners fetch nothing.
  const { Agent, fetch } = (await import("undici")).default;
  const { ca, timeoutMs } = rules;
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  const agent = new Agent({
    connect: { lookup: lookupOf(rules), timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) },
  });
  try {
    let url = address;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      throwIfRefused(url, rules);
      const response = await fetch(url.href, {
        dispatcher: agent,
        redirect: "manual",
        signal: either,
        headers: { accept: "text/plain, text/markdown, */*;q=0.1", ...rules.headersFor(url) },
      });
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) {
        if (!response.ok) throw new EgressError(`${url.host} answers with status ${response.status}`);
        const type = response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
        const text = await readText(response.body, rules.maxBytes);
        const reason = rules.refuses?.({ type, text });
        if (reason !== undefined) throw new EgressError(`${url.host} answers with ${reason}`);
        return text;
      }
      await response.body?.cancel();
      const next = URL.parse(location, url.href);
      if (next === null) throw new EgressError(`${url.host} redirects to an invalid address`);
      if (isSignIn(next, address)) {
        throw new EgressError(
          `${url.host} asks to sign in (${next.host}): the file is not public, or no token is sent to this host`,
        );
      }
      url = next;
    }
    throw new EgressError(`more than ${MAX_REDIRECTS} redirects`);
  } catch (error) {
    signal.throwIfAborted();
    throw egressError(error, timeout.aborted ? `no answer within ${timeoutMs / 1_000} s` : undefined);
  } finally {
    await agent.destroy();
  }
}

const SIGN_IN = /\/(?:log-?in|sign[-_]?in|sso|saml2?|oauth2?|authorize|auth|cas|adfs|idp)(?:[/.]|$)/iu;

/** A redirect to a page where people sign in, in place of the file. */
function isSignIn(next: URL, asked: URL): boolean {
  const [file, wanted] = [next, asked].map(({ pathname }) => pathname.split("/").at(-1));
  return file !== wanted && SIGN_IN.test(next.pathname);
}

/** The cause says more than "fetch failed". */
function egressError(error: unknown, instead: string | undefined): EgressError {
  if (error instanceof EgressError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof EgressError) return cause;
  return new EgressError(instead ?? errorMessage(cause), { cause: error });
}

function throwIfRefused(url: URL, { allowedHosts, isBlocked = isBlockedAddress }: EgressRules): void {
  if (url.protocol !== "https:") throw new EgressError(`only https is allowed, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "") {
    throw new EgressError("an address with a user name or a password is not allowed");
  }
  if (!allowedHosts.includes(url.host)) {
    throw new EgressError(`the host ${url.host} is not allowed: ${allowedHosts.join(", ")} are`);
  }
  // Names are checked when they are resolved.
  const host = url.hostname.replace(/^\[|\]$/gu, "");
  if (isIP(host) !== 0 && isBlocked(host)) throw new EgressError(`the address ${host} is not public`);
}

function lookupOf({ resolve, isBlocked = isBlockedAddress }: EgressRules): LookupFunction {
  const refusal = (why: string, options?: ErrorOptions) => new EgressError(why, options);
  return checkedLookup({ resolve, isBlocked, blocked: "not public", refusal });
}

async function readText(body: AsyncIterable<unknown> | null, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    if (!(chunk instanceof Uint8Array)) throw new EgressError("the answer is not a sequence of bytes");
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new EgressError(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new EgressError("the answer is not UTF-8 text", { cause: error });
  }
}

/** Networks that nothing outside is in: IANA's special-purpose registries. */
const NETWORKS: readonly (readonly [address: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  // IPv6: everything but global unicast is refused below; these are the exceptions within it.
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const blocked = new BlockList();
for (const [address, prefix] of NETWORKS) {
  blocked.addSubnet(address, prefix, address.includes(":") ? "ipv6" : "ipv4");
}
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

/**
 * True unless this is an address of the public internet: also for private, link-local, loopback, metadata, multicast and reserved
 * addresses, IPv4 addresses inside IPv6 ones, and for what is no address.
 */
export function isBlockedAddress(address: string): boolean {
  const family = isIP(address);
  if (isMetadataAddress(address)) return true;
  if (family === 4) return blocked.check(address, "ipv4");
  return family !== 6 || !globalUnicast.check(address, "ipv6") || blocked.check(address, "ipv6");
}
