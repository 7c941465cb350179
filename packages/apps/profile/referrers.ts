import { invalid } from "@svc/base/failure";

const ANY_BELOW = "*.";
const HOST = /^(?:[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$|^\[[0-9a-f:]+\]$/;
const FIELD = "delivery_referrers";

/**
 * Hosts as browsers write them, each once: `example.com`, or `*.example.com` for all below it. A whole address stands for its host.
 * @throws Failure validation_error under `delivery_referrers`
 */
export function checkReferrers(sent: readonly string[]): readonly string[] {
	return [...new Set(sent.map((text) => hostOf(text.trim())))];
}

function hostOf(text: string): string {
	const isWild = text.startsWith(ANY_BELOW);
	const rest = isWild ? text.slice(ANY_BELOW.length) : text;
	const { hostname, username, pathname } = URL.parse(rest.includes("://") ? rest : `https://${rest}`) ?? {};
	if (!hostname || username || pathname !== "/" || !HOST.test(hostname)) {
		throw invalid(FIELD, `must be hosts such as example.com or *.example.com, which ${JSON.stringify(text)} is not`);
	}
	return isWild ? ANY_BELOW + hostname : hostname;
}

/** Whether an address stands on one of these hosts. Made once, and asked for each request. */
export function referrerCheck(hosts: readonly string[]): (address: string) => boolean {
	const exact = new Set(hosts);
	const endings = hosts.filter((host) => host.startsWith(ANY_BELOW)).map((host) => host.slice(1));
	return (address) => {
		const hostname = URL.parse(address)?.hostname;
		return hostname !== undefined && (exact.has(hostname) || endings.some((ending) => hostname.endsWith(ending)));
	};
}
