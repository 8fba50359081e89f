/** The statement of an object of Kubernetes if it is a Secret or a list of them. */
const KIND = /^Secret(?:List)?$/iu;
const TYPE = /^(?:Opaque$|(?:bootstrap\.)?kubernetes\.io\/|helm\.sh\/release)/u;

/** Text that stands for no data. */
export const NO_DATA = /^(?:null|none|nil|~|\{\}|""|''|)$/iu;

export function isSecretKind(kind: string): boolean {
  return KIND.test(kind);
}

/** True for the types that only Secrets have. */
export function isSecretType(type: string): boolean {
  return TYPE.test(type);
}
