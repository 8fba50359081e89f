import type { ServicePasswords } from "#shared/database/schema/prepare-roles.ts";
import { SERVICE_ROLES, type DatabaseService } from "#shared/database/schema/service-roles.ts";

/** The DATABASE_URL of each service. */
export type ServiceUrls = Readonly<Record<DatabaseService, string>>;

/** The URLs that lead where the owner's `url` leads, as the role of each service. */
export function serviceUrls(url: string, passwords: ServicePasswords): ServiceUrls {
  return mapServices((service) => {
    const own = new URL(url);
    own.username = SERVICE_ROLES[service];
    own.password = encodeURIComponent(passwords[service]);
    return own.href;
  });
}

/** The same change to each of the URLs. */
export function changeUrls(urls: ServiceUrls, change: (url: string) => string): ServiceUrls {
  return mapServices((service) => change(urls[service]));
}

/** One URL for all: everything is done as the owner. */
export function sameUrls(url: string): ServiceUrls {
  return mapServices(() => url);
}

function mapServices(urlOf: (service: DatabaseService) => string): ServiceUrls {
  return {
    api: urlOf("api"),
    executor: urlOf("executor"),
    "tool-runner": urlOf("tool-runner"),
    notifier: urlOf("notifier"),
  };
}
