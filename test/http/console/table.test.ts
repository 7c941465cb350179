import { describe, expect, test } from "bun:test";
import { SCREENS } from "@svc/pages/console/screens";
import { DEEDS } from "../../support/console-deeds.ts";
import { PERSONS, rolesOf, TABLE } from "../../support/console-table.ts";

/* Every operation of the API that a person may call has been decided on: which screen has it, or why none. `test/matrix` names them all. */

const SHOWN = new Set(SCREENS.map(({ path }) => path));
const FORMS = SCREENS.flatMap(({ path, acts = {}, stream }) =>
	[...Object.keys(acts), ...(stream ? ["stream"] : [])].map((act) => `${path} ${act}`),
);

describe("each operation that a person may call", () => {
	test("stands in the console, or says why it stands elsewhere [C]", () => {
		expect(Object.keys(TABLE).sort()).toEqual([...new Set(PERSONS.map(({ route }) => route))].sort());
	});

	test("is done by forms that there are, and each form does one [C]", () => {
		const named = Object.values(TABLE).flatMap((place) => ("forms" in place ? place.forms : []));
		expect([...new Set(named)].sort()).toEqual([...FORMS].sort());
	});

	test("is done by everybody whom the API lets do it [C]", () => {
		for (const row of PERSONS) {
			const place = TABLE[row.route];
			const roles = rolesOf(row);
			if (!place || !("forms" in place) || !roles) continue;
			const may = new Set(place.forms.flatMap((form) => DEEDS[form]?.may ?? []));
			expect([row.route, ...roles.filter((role) => !may.has(role))]).toEqual([row.route]);
		}
	});

	test("is read on a screen that there is [C]", () => {
		for (const [route, place] of Object.entries(TABLE)) {
			if ("screen" in place) expect([route, SHOWN.has(place.screen.split("?")[0] ?? "")]).toEqual([route, true]);
		}
	});
});
