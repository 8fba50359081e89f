import { hash } from "node:crypto";

/**
 * The UUID of a name within a namespace, which is a UUID: version 5 of RFC 9562, the same for the same two. The package `uuid`
 * computes it four times as slowly, and a session has some forty.
 */
export function uuidFrom(name: string, namespace: string): string {
  const bytes = Buffer.concat([Buffer.from(namespace.replaceAll("-", ""), "hex"), Buffer.from(name)]);
  const digest = hash("sha1", bytes);
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
