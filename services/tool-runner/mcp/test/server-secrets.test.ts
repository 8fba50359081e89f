import { expect } from "chai";
import { serverSecrets } from "../server-secrets.ts";
import { httpAt, settingsOf } from "./server-fixture.ts";

describe("serverSecrets", () => {
  it("finds tokens, headers, client secrets, keys and what URLs hide", () => {
    const found = serverSecrets(
      settingsOf(
        httpAt(
          "https://u:url-password@example.com/s/Zm9vYmFyMTIzNDU2Nzg5/mcp?api_key=parameter-secret&page=2",
          {
            headers: {
              "X-Key": "7f3a9b21-from-header",
              "X-Api-Token": "hidden-words",
              "Proxy-Authorization": `Basic ${Buffer.from("user:basic-password").toString("base64")}`,
              "X-Session": "{{.SESSION_ID}}",
              Accept: "application/json",
              "X-Org": "production-cluster-2",
            },
            bearerToken: "the-bearer-token",
            clientCertificate: { cert: "the certificate", key: "the private key\n" },
            sessionCleanupUrl: "https://example.com/sessions/{{.SESSION_ID}}?token=of-the-cleanup",
            auth: {
              type: "client_credentials",
              clientId: "client",
              secret: "client-secret",
              issuer: "https://as",
            },
          },
        ),
      ),
    );
    expect(found).to.have.members([
      "7f3a9b21-from-header",
      "hidden-words",
      Buffer.from("user:basic-password").toString("base64"),
      "basic-password",
      "the-bearer-token",
      "client-secret",
      "the private key",
      "url-password",
      "parameter-secret",
      "Zm9vYmFyMTIzNDU2Nzg5",
      "of-the-cleanup",
    ]);
  });

  it("finds those in the variables and arguments of a process, and leaves paths, hosts and words", () => {
    const found = serverSecrets(
      settingsOf({
        type: "stdio",
        command: "server",
        args: [
          "--dsn",
          "postgres://reader:dsn-password@db.example.com/orders",
          "--token",
          "argument-token",
          "--api-key=assigned-key",
          "--kubeconfig",
          "/home/tarsy/.kube/config",
          "--read-only",
        ],
        env: {
          LAB_PASSWORD: "swordfish-words",
          CANARY: "canary-0f1e2d3c4b",
          SHORT_TOKEN: "short",
          KUBECONFIG: "/home/tarsy/.kube/config",
          GRAFANA_URL: "https://grafana.example.com/",
          LOG_LEVEL: "information",
          REGION: "eu-central-1",
        },
      }),
    );
    expect(found).to.have.members([
      "dsn-password",
      "argument-token",
      "assigned-key",
      "swordfish-words",
      "canary-0f1e2d3c4b",
    ]);
  });
});
