import { compileRules } from "#shared/masking/mask-by-rules.ts";
import { maskText, type MaskedText } from "#shared/masking/mask-text.ts";
import type { MaskedValue } from "#shared/masking/mask-context.ts";
import { rulesOfServer, type MaskingBlock } from "#shared/masking/masking-rules.ts";
import { formsOfSecrets } from "#shared/masking/patterns/known-values.ts";

interface Options {
  readonly block?: MaskingBlock;
  readonly known?: readonly string[];
  readonly seen?: readonly MaskedValue[];
  readonly key?: string;
  readonly seams?: readonly number[];
}

/** Masks a text with the rules of a server, by default one without a block, in a session of its own. */
export function masked(
  text: string,
  { block, known = [], seen = [], key = "key", seams = [] }: Options = {},
): MaskedText {
  return maskText(text, {
    rules: compileRules(rulesOfServer(block), formsOfSecrets(known)),
    key,
    seen,
    seams,
  });
}

export const base64 = (text: string) => Buffer.from(text).toString("base64");

/** A Secret as the API server returns it; its values are `hunter2-value`, and `apply` has left a copy in an annotation. */
export const SECRET = {
  apiVersion: "v1",
  data: { password: base64("hunter2-value"), "tls.crt": base64("a certificate") },
  kind: "Secret",
  metadata: {
    annotations: {
      "kubectl.kubernetes.io/last-applied-configuration": `${JSON.stringify({
        apiVersion: "v1",
        kind: "Secret",
        stringData: { password: "hunter2-value" },
      })}\n`,
    },
    name: "db",
  },
};

/** The same in YAML. */
export const SECRET_YAML = `apiVersion: v1
data:
  password: ${base64("hunter2-value")}
  tls.crt: |
    ${base64("a certificate")}
kind: Secret
metadata:
  name: db
`;
