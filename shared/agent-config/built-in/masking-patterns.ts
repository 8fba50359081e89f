/** What a masking pattern finds and what it leaves in its place. Data only: nothing masks yet. */
export interface MaskingPattern {
  /** In the subset of regular expressions that RE2 and JavaScript share. */
  readonly pattern: string;
  readonly replacement: string;
  readonly description: string;
}

/** Patterns that `data_masking.patterns` may name. */
export const MASKING_PATTERNS: Readonly<Record<string, MaskingPattern>> = {
  api_key: {
    pattern: String.raw`\b[Aa][Pp][Ii][_-]?[Kk][Ee][Yy]["']?\s*[:=]\s*["']?[A-Za-z0-9_\-]{16,}["']?`,
    replacement: "__MASKED_API_KEY__",
    description: "API keys given by name",
  },
  password: {
    pattern: String.raw`\b(?:[Pp][Aa][Ss][Ss][Ww][Oo][Rr][Dd]|[Pp][Ww][Dd]|[Pp][Aa][Ss][Ss])["']?\s*[:=]\s*["']?[^"'\s,;]{6,}["']?`,
    replacement: "__MASKED_PASSWORD__",
    description: "Passwords given by name",
  },
  certificate: {
    pattern: String.raw`-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----`,
    replacement: "__MASKED_CERTIFICATE__",
    description: "PEM certificates",
  },
  certificate_authority_data: {
    pattern: String.raw`\bcertificate-authority-data:\s*[A-Za-z0-9+/]{20,}={0,2}`,
    replacement: "certificate-authority-data: __MASKED_CA_CERTIFICATE__",
    description: "Authority certificates in a kubeconfig",
  },
  token: {
    pattern: String.raw`\b(?:[Tt][Oo][Kk][Ee][Nn]|[Bb][Ee][Aa][Rr][Ee][Rr])["']?\s*[:=]?\s*["']?[A-Za-z0-9_\-.]{20,}["']?`,
    replacement: "__MASKED_TOKEN__",
    description: "Bearer and other tokens given by name",
  },
  email: {
    pattern: String.raw`\b[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}\b`,
    replacement: "__MASKED_EMAIL__",
    description: "E-mail addresses",
  },
  ssh_key: {
    pattern: String.raw`\bssh-(?:rsa|dss|ed25519|ecdsa)\s+[A-Za-z0-9+/]{40,}={0,3}`,
    replacement: "__MASKED_SSH_KEY__",
    description: "SSH public keys",
  },
  base64_secret: {
    pattern: String.raw`\b[A-Za-z0-9+/]{20,}={1,2}`,
    replacement: "__MASKED_BASE64__",
    description: "Long base64 values with padding",
  },
  base64_short: {
    pattern: String.raw`:\s+[A-Za-z0-9+/]{4,19}={1,2}`,
    replacement: ": __MASKED_SHORT_BASE64__",
    description: "Short base64 values with padding after a colon",
  },
  private_key: {
    pattern: String.raw`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\s\S]*?-----END (?:[A-Z]+ )*PRIVATE KEY-----`,
    replacement: "__MASKED_PRIVATE_KEY__",
    description: "PEM private keys",
  },
  secret_key: {
    pattern: String.raw`\b[Ss][Ee][Cc][Rr][Ee][Tt][_-]?[Kk][Ee][Yy]["']?\s*[:=]\s*["']?[A-Za-z0-9_\-]{16,}["']?`,
    replacement: "__MASKED_SECRET_KEY__",
    description: "Secret keys given by name",
  },
  aws_access_key: {
    pattern: String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
    replacement: "__MASKED_AWS_ACCESS_KEY__",
    description: "AWS access key ids",
  },
  aws_secret_key: {
    pattern: String.raw`\b[Aa][Ww][Ss][_-]?[Ss][Ee][Cc][Rr][Ee][Tt][_-]?(?:[Aa][Cc][Cc][Ee][Ss][Ss][_-]?)?[Kk][Ee][Yy]["']?\s*[:=]\s*["']?[A-Za-z0-9+/]{40}["']?`,
    replacement: "__MASKED_AWS_SECRET_KEY__",
    description: "AWS secret access keys given by name",
  },
  github_token: {
    pattern: String.raw`\bgh[pousr]_[A-Za-z0-9]{36,255}\b`,
    replacement: "__MASKED_GITHUB_TOKEN__",
    description: "GitHub tokens",
  },
  slack_token: {
    pattern: String.raw`\bxox[abprs]-[A-Za-z0-9\-]{10,72}`,
    replacement: "__MASKED_SLACK_TOKEN__",
    description: "Slack tokens",
  },
};

/** Maskers that read structure instead of matching text; planned, so only a group may name them. */
export const STRUCTURAL_MASKERS = ["kubernetes_secret"] as const;

/** Groups that `data_masking.pattern_groups` may name. */
export const MASKING_PATTERN_GROUPS: Readonly<Record<string, readonly string[]>> = {
  basic: ["api_key", "password"],
  secrets: ["api_key", "password", "token", "private_key", "secret_key"],
  security: ["api_key", "password", "token", "certificate", "certificate_authority_data", "email", "ssh_key"],
  kubernetes: ["kubernetes_secret", "api_key", "password", "certificate_authority_data"],
  cloud: ["aws_access_key", "aws_secret_key", "api_key", "token"],
  all: Object.keys(MASKING_PATTERNS),
};
