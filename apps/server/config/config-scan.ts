import type { Judge } from "@svc/moderation/scan/judge";
import type { VariableReader } from "./variables.ts";

export interface ScanConfig {
	/** What each new picture is shown to; undefined where there is none. */
	readonly scan: Judge | undefined;
}

const SECRET = /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/;

export function readScan(read: VariableReader): ScanConfig {
	const [at, key, absence] = ["SVC_SCAN_URL", "SVC_SCAN_SECRET", "SVC_SCAN_ABSENT"] as const;
	if (!read.isSet(at)) {
		read.unused([at, key, absence]);
		return { scan: undefined };
	}
	const url = read.text(at, "");
	const { protocol, username, password } = URL.parse(url) ?? { protocol: "", username: "", password: "" };
	if (!/^https?:$/.test(protocol) || username || password) {
		read.fault(at, "an http:// or https:// address, with nothing before its host");
	}
	const secret = read.matching(key, SECRET, "whsec_ and 16 random bytes or more in base64");
	return { scan: { url, secret, absent: read.oneOf(absence, ["pass", "lock"], "pass") } };
}
