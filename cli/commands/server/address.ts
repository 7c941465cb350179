import type { Context } from "../../leaf.ts";
import {
	baseUrlSetting,
	checkAddress,
	checkBound,
	DEFAULT_BASE_URL,
	findProfile,
	hasKeySetting,
} from "../../profile.ts";

export const BASE_URL_ARG = {
	"base-url": { type: "string", valueHint: "address", description: "Ask this service, without any key" },
} as const;

interface ServiceAddress {
	readonly baseUrl: string;
	/** Whether there is a key or token that may be sent there. */
	readonly hasKey: boolean;
}

function withoutKey(baseUrl: string, source: string): ServiceAddress {
	checkAddress(baseUrl, source);
	return { baseUrl, hasKey: false };
}

/** A service can be asked how it is before anybody has a key to it. */
export async function serviceAddress(context: Context, asked: string | undefined): Promise<ServiceAddress> {
	const { credentials, globals, world } = context;
	if (asked !== undefined) return withoutKey(asked, "--base-url");
	const withKey = async () => ({ baseUrl: (await credentials()).baseUrl, hasKey: true });
	if (hasKeySetting(world) && globals.profile === undefined) return await withKey();
	const found = await findProfile(world, globals.profile);
	if (found === undefined) {
		// Says that there is no such profile.
		if (globals.profile !== undefined) return await withKey();
		return withoutKey(baseUrlSetting(world) ?? DEFAULT_BASE_URL, "SVC_BASE_URL");
	}
	const { api_key, token, base_url } = found.profile;
	if (api_key !== undefined || token !== undefined) return await withKey();
	checkBound(world, found);
	return withoutKey(base_url, `profile "${found.name}"`);
}
