import { processRegistry } from "#shared/service/process-registry.ts";
import { runService } from "#shared/service/run-service.ts";
import { loadGatewayConfig, withholdFromSdks } from "./config.ts";
import { runGateway } from "./run-gateway.ts";

await runService("llm-gateway", loadGatewayConfig, async (service) => {
  const withheld = withholdFromSdks(service.config);
  if (withheld.length > 0) {
    service.log.warn(
      { variables: withheld },
      "variables withheld from the providers' SDKs: unset them, or allow them with LLM_SDK_VARIABLES",
    );
  }
  const registry = processRegistry();
  await runGateway(service, registry);
});
