import type { Preset, SigningKey } from "@svc/sdk/shapes";
import { openForm } from "../forms/form.ts";
import { presetForm } from "../forms/preset-form.ts";
import { listOf, selectedOf } from "../lists/list.ts";
import { type State, type Step, say, stay } from "../model.ts";
import { askText, confirm, isMakingSecret, WAIT } from "./actions.ts";

/* What keys do to presets and signing keys: to which addresses of an App's images are answered. */

export function createPreset(state: State): Step {
	if (state.app === undefined) return stay(say(state, "warn", "No App is chosen."));
	return openForm(state, presetForm(state.app.id));
}

function withPreset(state: State, act: (preset: Preset, app: string) => Step): Step {
	const preset = selectedOf(listOf(state));
	if (preset?.object !== "preset" || state.app === undefined) return stay(say(state, "warn", "No preset is chosen."));
	return act(preset, state.app.id);
}

export function editPreset(state: State): Step {
	return withPreset(state, (preset, app) => openForm(state, presetForm(app, preset)));
}

export function removePreset(state: State): Step {
	return withPreset(state, ({ id, name }, app) =>
		confirm(state, `Remove ${name}? Addresses with it are answered otherwise, or not at all.`, name, {
			kind: "preset",
			verb: "remove",
			app,
			id,
		}),
	);
}

export function createSigningKey(state: State): Step {
	if (isMakingSecret(state)) return stay(say(state, "warn", WAIT));
	if (state.app === undefined) return stay(say(state, "warn", "No App is chosen."));
	return askText(state, "Name of the new signing key", { kind: "new-signing-key", app: state.app.id });
}

export function removeSigningKey(state: State): Step {
	const key = selectedOf(listOf(state));
	if (key?.object !== "signing_key" || state.app === undefined) return stay(say(state, "warn", "No key is chosen."));
	return confirm(state, questionOf(key), key.last4, {
		kind: "signing-key",
		verb: "remove",
		app: state.app.id,
		id: key.id,
	});
}

function questionOf({ name }: SigningKey): string {
	return `Remove ${name}? Every address that it signed ends now.`;
}
