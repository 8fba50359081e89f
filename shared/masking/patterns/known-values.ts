import type { MaskContext } from "#shared/masking/mask-context.ts";

/** Shorter values would be found in ordinary words. */
const MIN_LENGTH = 8;

/** The forms in which known secrets are searched for, longest first: as they are, URL-encoded, and in base64 at any offset. */
export function formsOfSecrets(secrets: Iterable<string>): readonly string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < MIN_LENGTH) continue;
    const json = JSON.stringify(secret).slice(1, -1);
    for (const form of [secret, json, encodeURIComponent(secret.toWellFormed()), ...base64Forms(secret)]) {
      if (form.length >= MIN_LENGTH) forms.add(form);
    }
  }
  return [...forms].sort((a, b) => b.length - a.length);
}

/** Masks every occurrence of the forms. The time is proportional to the text for a given number of secrets. */
export function maskKnown(text: string, forms: readonly string[], context: MaskContext): string {
  let masked = text;
  for (const form of forms) {
    context.progress();
    if (!masked.includes(form)) continue;
    masked = masked.replaceAll(form, () => context.mask(form, "CREDENTIAL"));
  }
  return masked;
}

/** The parts of the secret in base64, for each position at which it begins among the encoded bytes, e.g. after a user's name and a colon. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/u, "");
    // The first and the last characters depend on the neighbours.
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    const part = encoded.slice(start, end);
    return [part, part.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
