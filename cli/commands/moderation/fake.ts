import { FAKE_IMAGE, listOf } from "../../fake-objects.ts";
import type { FakeAnswer } from "../../fake-world.ts";
import { fakePicture } from "../images/fake.ts";

const REPORT = {
	id: "rep_1",
	object: "report",
	image_id: "img_1",
	app_id: "app_1",
	reason: "spam",
	note: "Again",
	email: null,
	outcome: null,
	resolved_at: null,
	resolved_by: null,
	created_at: "2026-01-02T00:00:00.000Z",
};

const ACTION = {
	id: "mod_1",
	object: "moderation_action",
	image_id: "img_1",
	action: "lock",
	reason: null,
	actor: "acc_1",
	created_at: "2026-01-03T00:00:00.000Z",
};

const ITEM = {
	id: "img_1",
	object: "moderation_item",
	image: { ...FAKE_IMAGE, app_id: "app_1", storage: "app" },
	revision: 3,
	placeholder: null,
	locked: true,
	blocked_reason: null,
	reports: [REPORT],
	reports_count: 1,
	actions: [{ ...ACTION, note: "Kept", actor_email: "op@example.com" }],
	created_at: "2026-01-01T00:00:00.000Z",
};

/** An operator's: images with their reports, and what is done about them. */
export const MODERATION_ANSWERS: readonly FakeAnswer[] = [
	["GET", /^\/v1\/moderation\/images\/[^/]+\/preview$/, fakePicture],
	["GET", /^\/v1\/moderation\/images$/, () => listOf(ITEM)],
	["GET", /^\/v1\/moderation\/reports$/, () => listOf(REPORT)],
	["POST", /^\/v1\/moderation\/reports\//, () => ({ ...REPORT, outcome: "dismissed" })],
	["POST", /^\/v1\/moderation\/batch$/, () => ({ object: "batch_result", data: [ITEM], errors: [] })],
	["GET", /^\/v1\/apps\/[^/]+\/moderation$/, () => listOf(ACTION)],
	["GET", /^\/v1\/moderation\/images\//, () => ITEM],
	["POST", /^\/v1\/moderation\/images\//, () => ITEM],
	["PATCH", /^\/v1\/moderation\/images\//, () => ITEM],
];
