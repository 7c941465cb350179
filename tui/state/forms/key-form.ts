import type { NewKey } from "@svc/sdk/calls/app-team";
import type { AppInView } from "../model.ts";
import type { Form } from "./form.ts";

const MAY: Readonly<Record<string, NewKey["permissions"]>> = {
	"read and write": ["read", "write"],
	read: ["read"],
	write: ["write"],
};
const REACHES: Readonly<Record<string, NewKey["reach"]>> = { "the whole App": "app", "the App storage": "bucket" };
const DAY_MS = 86_400_000;

/** A key for the App's backend; its secret is shown once. */
export function newKeyForm({ id: app, name }: AppInView): Pick<Form, "title" | "fields" | "read"> {
	return {
		title: `New key for ${name}`,
		fields: [
			{ kind: "text", name: "name", label: "Name", hint: "Which program has it, as you will know it later", value: "" },
			{
				kind: "choice",
				name: "permissions",
				label: "May",
				hint: "space changes it",
				value: "read and write",
				choices: Object.keys(MAY),
			},
			{
				kind: "choice",
				name: "reach",
				label: "Reaches",
				hint: "The whole App has the storages of its users as well",
				value: "the whole App",
				choices: Object.keys(REACHES),
			},
			{
				kind: "number",
				name: "expires_at",
				label: "Expires in",
				unit: "days",
				empty: "never",
				hint: "At most 365; left empty, it works until it is revoked",
				value: "",
			},
		],
		read({ name: called = "", permissions = "", reach = "", expires_at: days = "" }, _, nowMs) {
			if (called === "") return { errors: { name: "is needed: which program has it" } };
			return {
				kind: "new-key",
				verb: "create",
				app,
				name: called,
				key: {
					reach: REACHES[reach] ?? "app",
					permissions: MAY[permissions] ?? [],
					...(days !== "" && { expiresAt: new Date(nowMs + Number(days) * DAY_MS) }),
				},
			};
		},
	};
}
