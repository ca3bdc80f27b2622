// Who wrote what, in colors: a stripe in the gutter and in the overview ruler.

import * as vscode from 'vscode';

import { colorModes, stripesOf, type Stripe } from './colors';
import { editorsOf, type Provenance } from './provenance';

export class Stripes implements vscode.Disposable {
  private readonly decorations = new Map<string, vscode.TextEditorDecorationType>();
  private readonly shown = new WeakMap<vscode.TextEditor, readonly Stripe[]>();
  private readonly subscriptions: vscode.Disposable[];

  /** The colors that the manifest declares, by id: what is drawn in a gutter cannot follow a theme. */
  private readonly defaults: ReadonlyMap<string, { light: string; dark: string }>;

  constructor(
    private readonly provenance: Provenance,
    manifest: { contributes: { colors: { id: string; defaults: { light: string; dark: string } }[] } },
  ) {
    const { window, workspace } = vscode;
    this.defaults = new Map(manifest.contributes.colors.map(({ id, defaults }) => [id, defaults]));
    this.subscriptions = [
      provenance.onDidChange((document) => editorsOf(document).forEach((editor) => this.draw(editor))),
      window.onDidChangeVisibleTextEditors(() => this.drawAll()),
      workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('toolpath.colors') && this.drawAll()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, ...this.decorations.values()).dispose();
  }

  /** What is shown in an editor. */
  stripes(editor: vscode.TextEditor): readonly Stripe[] {
    return this.shown.get(editor) ?? [];
  }

  private drawAll(): void {
    vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor));
  }

  // While the text changes the stripes stay, and move with it: they would flicker.
  private draw(editor: vscode.TextEditor): void {
    const known = this.provenance.of(editor.document);
    const mode = colorMode();
    if (!known && mode !== 'off') {
      return;
    }
    const stripes = known ? stripesOf(mode, known.runs, known.summary) : [];
    const before = this.stripes(editor);
    this.shown.set(editor, stripes);
    for (const color of new Set([...before, ...stripes].map((stripe) => stripe.color))) {
      const ranges = stripes
        .filter((stripe) => stripe.color === color)
        .map(({ first, last }) => new vscode.Range(first, 0, last, Number.MAX_SAFE_INTEGER));
      editor.setDecorations(this.decoration(color), ranges);
    }
  }

  private decoration(id: string): vscode.TextEditorDecorationType {
    let decoration = this.decorations.get(id);
    if (!decoration) {
      const { light, dark } = this.defaults.get(id)!;
      decoration = vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        light: { gutterIconPath: stripe(light) },
        dark: { gutterIconPath: stripe(dark) },
        gutterIconSize: '100% 100%',
        overviewRulerColor: new vscode.ThemeColor(id),
        overviewRulerLane: vscode.OverviewRulerLane.Left,
        rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      });
      this.decorations.set(id, decoration);
    }
    return decoration;
  }
}

// A stripe as tall as its line.
function stripe(color: string): vscode.Uri {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="18" height="18" preserveAspectRatio="none" viewBox="0 0 18 18"><rect x="12" width="4" height="18" fill="${color}"/></svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(svg)}`);
}

function colorMode(): string {
  return vscode.workspace.getConfiguration('toolpath').get('colors', 'off');
}

/** Goes from no colors to those of actors, of kinds, of ages, and back to none. */
export async function toggleColors(): Promise<void> {
  const next = colorModes[(colorModes.indexOf(colorMode()) + 1) % colorModes.length];
  await vscode.workspace.getConfiguration('toolpath').update('colors', next, vscode.ConfigurationTarget.Global);
}
