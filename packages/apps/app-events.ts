import type { AppRecord } from "./apps.ts";
import { toAppRecord } from "./team/memberships-store.ts";

/** The App in the data of its event. */
export function readAppEvent({ object }: Readonly<Record<string, unknown>>): AppRecord {
	return toAppRecord(object as Parameters<typeof toAppRecord>[0]);
}
