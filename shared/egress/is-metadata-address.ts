import { BlockList, isIPv4, isIPv6 } from "node:net";

/** The addresses at which clouds give credentials and settings to every program of a machine: no receiver of ours is there. */
const NETWORKS: readonly (readonly [address: string, prefix: number])[] = [
  ["169.254.0.0", 16],
  // Alibaba, Oracle and Azure.
  ["100.100.100.200", 32],
  ["192.0.0.0", 24],
  ["168.63.129.16", 32],
  ["fe80::", 10],
  // Addresses of AWS: instances, pods (`::23`), names and time; then Google and Scaleway.
  ["fd00:ec2::", 32],
  ["fd20:ce::", 32],
  ["fd00:42::", 32],
];

const blocked = new BlockList();
for (const [address, prefix] of NETWORKS) {
  blocked.addSubnet(address, prefix, isIPv4(address) ? "ipv4" : "ipv6");
}

/**
 * True for link-local addresses and those of metadata services, also within an IPv6 address that leads to an IPv4 one. Other private
 * addresses are an operator's own. Takes the host of a URL, too, with its brackets; false for a name.
 */
export function isMetadataAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$/gu, "").replace(/%.*$/u, "");
  if (isIPv4(address)) return blocked.check(address, "ipv4");
  if (!isIPv6(address)) return false;
  return (
    blocked.check(address, "ipv6") || embedded(wordsOf(address)).some((one) => blocked.check(one, "ipv4"))
  );
}

/** The eight 16-bit words of an IPv6 address, whichever way it is written. */
function wordsOf(address: string): readonly number[] {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const [front, back] = [head, tail ?? ""].map((part) =>
    part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16)),
  );
  const [start, end] = [front ?? [], back ?? []];
  return [...start, ...Array.from({ length: 8 - start.length - end.length }, () => 0), ...end];
}

/** The prefixes of words before an IPv4 address in the last two: compatible, mapped, translated (RFC 6052, 2765), NAT64. */
const BEFORE_LAST = new Set(["0:0:0:0:0:0", "0:0:0:0:0:ffff", "0:0:0:0:ffff:0", "64:ff9b:0:0:0:0"]);

/** The IPv4 addresses that an IPv6 address may lead to. */
function embedded(words: readonly number[]): string[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words;
  const hex = words.map((word) => word.toString(16));
  // 6to4 (RFC 3056).
  if (hex[0] === "2002") return [dotted(b, c)];
  // Teredo (RFC 4380): the server, and the client with its bits inverted.
  if (hex[0] === "2001" && b === 0) return [dotted(c, d), dotted(g ^ 0xffff, h ^ 0xffff)];
  if (BEFORE_LAST.has(hex.slice(0, 6).join(":"))) return [dotted(g, h)];
  // ISATAP (RFC 5214), below any prefix.
  if ((e & 0xfdff) === 0 && hex[5] === "5efe") return [dotted(g, h)];
  // The local NAT64 network (RFC 8215), whose prefix may have 48, 56, 64 or 96 bits; the ninth byte is left out (RFC 6052).
  if (a !== 0x64 || hex[1] !== "ff9b" || c !== 1) return [];
  const bytes = [d >> 8, d & 0xff, e & 0xff, f >> 8, f & 0xff, g >> 8];
  const within = [0, 1, 2].map((at) => bytes.slice(at, at + 4).join("."));
  return [...within, dotted(g, h)];
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}
