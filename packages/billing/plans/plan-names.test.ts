import { expect, test } from "bun:test";
import { planNameFault, planTextFault } from "./plan-names.ts";

test.each([
	"Official",
	"Verified Pro",
	"Svc Plus",
	"S.v.c plan",
	"Gold (official)",
	"VERIFIED",
	"V e r i f i e d",
	"Оfficial",
	"",
	" ",
])("%p is no name of a plan", (name) => {
	expect(planNameFault(name, "Svc")).toBeString();
});

test.each(["Gold", "Pics VC", "Pro 2", "Verifier", "Offices", "Größe L"])("%p is a name of a plan", (name) => {
	expect(planNameFault(name, "Svc")).toBeUndefined();
});

test.each([
	"the official Svc plan",
	"Verified plan by Svc",
	"Made by S-V-C",
	"The official Gold plan",
	"the official gold",
	"An official and verified subscription",
	"This plan is officially verified",
	"This plan is verified by us",
	"It is official.",
	"Gold: verified",
	"Official",
	"100% verified!",
	"Verified by us",
	"Best value. Officially verified plan. 10 GB",
	"o.f.f.i.c.i.a.l plan",
	"0fficial tier",
	"The plan, which is official, costs 5",
	"Gold, verified, for all of you",
])("%p says too much of a plan", (text) => {
	expect(planTextFault(text, "Gold", "Svc")).toBeString();
});

test.each([
	"Verified badge on your profile",
	"A verified badge in every plan",
	"Official stickers",
	"Plan with official stickers",
	"This plan includes an official certificate",
	"Gold: verified badge",
	"All your badges are verified by hand",
	"It is a verified badge",
	"Unlimited uploads",
	"A plan, verified badges, and more",
	"Badges, which are official, come with the plan",
	"",
])("%p is about a feature", (text) => {
	expect(planTextFault(text, "Gold", "Svc")).toBeUndefined();
});
