-- Toolpath documents in the editor.

local document = 'slug.path.json'

-- Warnings and errors; hints, of which there may be any number, are for the server's own tests.
local function diagnostics(editor)
  return editor:lua([[return vim.diagnostic.get(0, { severity = { min = vim.diagnostic.severity.WARN } })]])
end

-- What the buffer holds at a diagnostic.
local function marked(editor, diagnostic)
  return editor:lua([[
    local d = ...
    local ok, text = pcall(vim.api.nvim_buf_get_text, 0, d.lnum, d.col, d.end_lnum, d.end_col, {})
    return ok and text[1] or ''
  ]], diagnostic)
end

-- Waits until there is one diagnostic at each of the texts, in their order, and no other. Returns them.
-- While text is typed, other sets come and go.
local function wait_for_diagnostics(editor, ...)
  local texts = { ... }
  return editor:wait('diagnostics at ' .. vim.inspect(texts), function()
    local found = diagnostics(editor)
    table.sort(found, function(a, b)
      return a.lnum < b.lnum or a.lnum == b.lnum and a.col < b.col
    end)
    for i, diagnostic in ipairs(found) do
      if marked(editor, diagnostic) ~= texts[i] then
        return false
      end
    end
    return #found == #texts and found
  end)
end

return {
  {
    'a parent that names no step is reported where it stands, and no longer once it is right',
    function(start)
      local editor = start({})
      editor:open(document)
      local found = wait_for_diagnostics(editor, '"step2"')[1]
      assert(found.severity == vim.diagnostic.severity.WARN, vim.inspect(found))
      assert(found.message:find('step-2', 1, true), found.message)
      editor:go_to('step2')
      editor:type('cwstep-2<Esc>')
      wait_for_diagnostics(editor)
      editor:type('u')
      wait_for_diagnostics(editor, '"step2"')
    end,
  },
  {
    'a fault after characters outside the BMP is reported where it stands',
    function(start)
      local editor = start({})
      editor:open(document)
      editor:wait_attached()
      editor:go_to('"step2"')
      editor:type('i"𝔘𝔫𝔦", <Esc>')
      wait_for_diagnostics(editor, '"𝔘𝔫𝔦"', '"step2"')
    end,
  },
  {
    'hover on a parent tells who made that step and why',
    function(start)
      local editor = start({})
      editor:open(document)
      editor:wait_attached()
      editor:go_to('step-3"', 2)
      local shown = editor:wait_hover('Write letters without their accents')
      assert(shown:find('Codex', 1, true), shown)
    end,
  },
  {
    'the definition of a parent is its step',
    function(start)
      local editor = start({})
      editor:open(document)
      editor:wait_attached()
      editor:go_to('step-3"', 2)
      editor:lua([[vim.lsp.buf.definition()]])
      editor:wait('the jump', function()
        return editor:line():find('"id": "step-3"', 1, true)
      end)
    end,
  },
  {
    ':Toolpath parent jumps to the parent step, again and again, and the jump list leads back',
    function(start)
      local editor = start({})
      editor:open(document)
      editor:wait_attached()
      editor:go_to('"id": "step-5"')
      for _, step in ipairs({ 'step-4', 'step-3', 'step-2', 'step-1' }) do
        editor:type(':Toolpath parent<CR>')
        editor:wait('the jump to ' .. step, function()
          return editor:line():find(('"id": "%s"'):format(step), 1, true)
        end)
      end
      editor:type('<C-o>')
      editor:wait('the way back', function()
        return editor:line():find('"id": "step-2"', 1, true)
      end)
    end,
  },
  {
    ':Toolpath child and :Toolpath head go the other way',
    function(start)
      local editor = start({})
      editor:open(document)
      editor:wait_attached()
      editor:go_to('"id": "step-3"')
      editor:type(':Toolpath child<CR>')
      editor:wait('the jump to step-4', function()
        return editor:line():find('"id": "step-4"', 1, true)
      end)
      editor:go_to('"id": "step-1"')
      editor:type(':Toolpath head<CR>')
      editor:wait('the jump to step-5', function()
        return editor:line():find('"id": "step-5"', 1, true)
      end)
    end,
  },
  {
    'children that are several go to the quickfix list',
    function(start)
      local editor = start({})
      editor:open(document)
      editor:wait_attached()
      editor:go_to('step2')
      editor:type('cwstep-2<Esc>')
      editor:go_to('"id": "step-2"')
      editor:type(':Toolpath child<CR>')
      editor:wait('the list', function()
        return editor:lua([[return vim.fn.getqflist({ size = 0 }).size]]) == 2
      end)
    end,
  },
  {
    ':Toolpath parent on a root step says that there is none',
    function(start)
      local editor = start({})
      editor:open(document)
      editor:wait_attached()
      editor:go_to('"id": "step-1"')
      editor:type(':Toolpath parent<CR>')
      editor:wait('the message', function()
        return editor:messages():find('no parent step here', 1, true)
      end)
    end,
  },
  {
    'JSON whose content is a document is one, whatever its name',
    function(start, folder)
      vim.loop.fs_rename(folder .. '/' .. document, folder .. '/record.json')
      local editor = start({})
      editor:open('record.json')
      wait_for_diagnostics(editor, '"step2"')
    end,
  },
  {
    'a stream of steps is a document',
    function(start, folder)
      local stream = assert(io.open(folder .. '/run.path.jsonl', 'w'))
      stream:write('{"PathOpen":{"version":"1","id":"path-run"}}\n')
      stream:write('{"Step":{"step":{"id":"a","parents":["b"],"actor":"human:mira","timestamp":"2026-11-03T09:12:00Z"},"change":{}}}\n')
      stream:write('{"Head":{"step_id":"a"}}\n')
      stream:close()
      local editor = start({})
      editor:open('run.path.jsonl')
      local found = wait_for_diagnostics(editor, '"b"')[1]
      assert(found.lnum == 1, vim.inspect(found))
    end,
  },
}
