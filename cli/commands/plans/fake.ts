import { listOf } from "../../fake-objects.ts";
import type { FakeAnswer } from "../../fake-world.ts";

const PRICE = {
	id: "pri_1",
	object: "price",
	amount: 499,
	currency: "usd",
	interval: "month",
	trial_days: 7,
	on_sale: true,
	created_at: "2026-01-01T00:00:00.000Z",
};

const PLAN = {
	id: "pln_1",
	object: "plan",
	key: "gold",
	name: "Gold",
	description: "All you need",
	benefits: ["Large pictures"],
	display_order: 0,
	archived_at: null,
	prices: [PRICE, { ...PRICE, id: "pri_2", on_sale: false }],
	created_at: "2026-01-01T00:00:00.000Z",
};

const SELLER = {
	id: "app_1",
	object: "app",
	name: "Shop",
	selling_enabled: true,
	owner: { id: "acc_1", email: "a@b.c" },
};

/** What an App sells. */
export const PLAN_ANSWERS: readonly FakeAnswer[] = [
	["GET", /\/plans$/, () => listOf(PLAN)],
	["POST", /\/plans\/[^/]+\/prices$/, () => PRICE],
	["PATCH", /\/plans\/[^/]+\/prices\//, () => PRICE],
	["POST", /^\/v1\/apps\/[^/]+\/plans/, () => PLAN],
	["PATCH", /^\/v1\/apps\/[^/]+\/plans\//, () => PLAN],
	["PATCH", /^\/v1\/operator\/apps\/[^/]+$/, () => SELLER],
];
