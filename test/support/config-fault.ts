import { readConfig } from "@svc/server/config/config";

/** What a start would say of these settings; empty where it takes them. */
export function configFault(env: Readonly<Record<string, string>>): string {
	try {
		readConfig(env);
		return "";
	} catch (cause) {
		return cause instanceof Error ? cause.message : "";
	}
}
