import { newId, newTeamHash } from "@svc/base/ids";
import type { SentLine } from "@svc/moves/records";

const AT = "2020-02-03T04:05:06Z";

const storage = () => ({ id: newId("sto"), team_hash: newTeamHash(), created_at: AT });

/** The record of an App that is nowhere yet. */
export function appLine(id: string): SentLine {
	const nothing = { developer: null, homepage_url: null, privacy_url: null, terms_url: null, support_email: null };
	return {
		kind: "app",
		id,
		name: "Pictures from elsewhere",
		created_at: AT,
		paused: false,
		block_reason: null,
		sign_in_enabled: false,
		profile: { ...nothing, logo_image_id: null, accent_color: null },
		tax: { mode: "none", behavior: "exclusive" },
		promotion_codes: false,
		delivery: "open",
		delivery_referrers: [],
		delivery_limits: { bytes: null, renditions: null },
		free_limits: { images: null, bytes: null },
		storage: storage(),
		redirect_uris: [],
		presets: [],
		owner: `${id.slice(4).toLowerCase()}@example.com`,
		members: [],
	};
}

/** The record of a user of it. */
export function userLine(): SentLine {
	const id = newId("usr");
	return { kind: "user", id, email: `${id.slice(4).toLowerCase()}@example.com`, created_at: AT, storage: storage() };
}
