-- Source files in a workspace that holds a document.

local source = 'src/slug.py'

local function blamed(start, show)
  local editor = start({ blame = { show = show or 'line', debounce = 1 } })
  editor:open(source)
  editor:wait_attached()
  return editor
end

-- Counts from now on what the plugin asks the server for blame, and how often it has to, for the
-- server said that records have changed.
local function count_requests(editor)
  editor:lua([[
    local client, provenance = require('toolpath.client'), require('toolpath.provenance')
    local request, forget = client.request, provenance.forget
    asked, had_to_ask = 0, 0
    client.request = function(server, method, ...)
      asked = asked + (method == 'toolpath/blame' and 1 or 0)
      return request(server, method, ...)
    end
    provenance.forget = function()
      had_to_ask = had_to_ask + 1
      forget()
    end
  ]])
end

-- The virtual text of the plugin: line (1-based) -> label.
local function labels(editor)
  local found = editor:lua([[
    local namespace = vim.api.nvim_get_namespaces()['toolpath.inline']
    local labels = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
      table.insert(labels, { mark[2] + 1, mark[4].virt_text[1][1] })
    end
    return labels
  ]])
  local by_line = {}
  for _, label in ipairs(found) do
    by_line[label[1]] = label[2]
  end
  return by_line
end

return {
  {
    'a code lens above the file counts actors and steps, and opens the steps',
    function(start)
      local editor = start({})
      editor:open(source)
      editor:wait_row('actors', 'steps')
      editor:type('gg:Toolpath steps<CR>')
      editor:wait('the list', function()
        return editor:lua([[return vim.fn.getqflist({ size = 0 }).size]]) > 0
      end)
      local list = editor:lua([[return vim.tbl_map(function(item)
        return { item.text, vim.fn.getbufline(item.bufnr, item.lnum)[1] or '' }
      end, vim.fn.getqflist())]])
      local text = vim.inspect(list)
      assert(#list == 5, text)
      assert(text:find('claude%-code'), text)
      assert(text:find('Write letters without their accents', 1, true), text)
      editor:type('<CR>')
      editor:wait('the step in its document', function()
        return editor:line():find('"id": "step-', 1, true)
      end)
    end,
  },
  {
    'the stock command runs the lens of the line',
    function(start)
      local editor = start({})
      editor:open(source)
      editor:wait_row('actors', 'steps')
      editor:type('gg')
      editor:lua([[vim.lsp.codelens.run()]])
      editor:wait('the list', function()
        return editor:lua([[return vim.fn.getqflist({ size = 0 }).size]]) == 5
      end)
    end,
  },
  {
    'hover on a line tells its last step and the steps before',
    function(start)
      local editor = start({})
      editor:open(source)
      editor:wait_attached()
      editor:go_to('words = NOT_IN_A_WORD')
      editor:wait_hover('Write letters without their accents')
    end,
  },
  {
    'the line under the cursor shows who wrote it',
    function(start)
      local editor = blamed(start)
      editor:go_to('import unicodedata')
      editor:wait_row('import unicodedata', 'agent:codex', '2026-11-03', 'Write letters without their accents')
      editor:type('k')
      editor:wait_row('import re', 'agent:claude-code', 'Leave punctuation out of slugs')
      assert(not editor:row_with('import unicodedata'):find('agent', 1, true), 'the label is still there')
    end,
  },
  {
    'a line older than the recording and a line edited after it say so',
    function(start)
      local editor = blamed(start)
      editor:wait_row('Slugs for the addresses', 'older than the recording')
      editor:go_to('LONGEST = 80')
      editor:wait_row('LONGEST = 80', 'changed')
    end,
  },
  {
    'moving the cursor asks the server nothing',
    function(start)
      local editor = blamed(start)
      editor:wait_row('older than the recording')
      count_requests(editor)
      editor:go_to('import re')
      for _ = 1, 50 do
        editor:type('jk')
      end
      editor:type('j')
      editor:wait_row('import unicodedata', 'agent:codex')
      local counts = editor:lua([[return { asked, had_to_ask }]])
      assert(counts[1] <= counts[2], vim.inspect(counts))
    end,
  },
  {
    'of a long file the lines in sight are asked about, wherever they are',
    function(start, folder)
      local long = io.open(folder .. '/src/slug.py', 'a')
      for n = 1, 20000 do
        long:write('# remark ', n, '\n')
      end
      long:close()
      local editor = blamed(start)
      editor:wait_row('older than the recording')
      editor:type('G')
      editor:wait_row('# remark 20000', 'changed')
      editor:type('gg')
      editor:wait_row('Slugs for the addresses', 'older than the recording')
      editor:go_to('import unicodedata')
      editor:wait_row('import unicodedata', 'agent:codex')
    end,
  },
  {
    'an unsaved edit is seen as one, and undo brings the record back',
    function(start)
      local editor = blamed(start)
      editor:go_to('import unicodedata')
      editor:wait_row('import unicodedata', 'agent:codex')
      editor:type('A as u')
      editor:wait('the label to go while typing', function()
        local row = editor:row_with('import unicodedata as u')
        return row and not row:find('agent', 1, true)
      end)
      editor:type('<Esc>')
      editor:wait_row('import unicodedata as u', 'changed')
      editor:type('u')
      editor:wait_row('import unicodedata', 'agent:codex')
    end,
  },
  {
    'lines that move keep their record',
    function(start)
      local editor = blamed(start)
      editor:go_to('import re')
      editor:type('O# A remark.<Esc>')
      editor:wait_row('# A remark.', 'changed')
      editor:type('j')
      editor:wait_row('import re', 'agent:claude-code')
      editor:type('j')
      editor:wait_row('import unicodedata', 'agent:codex')
    end,
  },
  {
    'reading the file again drops the edit',
    function(start)
      local editor = blamed(start)
      editor:go_to('import unicodedata')
      editor:type('A as u<Esc>')
      editor:wait_row('import unicodedata as u', 'changed')
      editor:type(':e!<CR>')
      editor:go_to('import unicodedata')
      editor:wait_row('import unicodedata', 'agent:codex')
      editor:type('A as w<Esc>')
      editor:wait_row('import unicodedata as w', 'changed')
    end,
  },
  {
    'with all, every run is labelled once in each window',
    function(start)
      local editor = blamed(start, 'all')
      editor:wait_row('import unicodedata', 'agent:codex')
      editor:wait_row('LONGEST = 80', 'changed')
      editor:wait_row('def slug', 'older than the recording')
      local one = labels(editor)
      editor:command('split')
      editor:wait('the same labels in both windows', function()
        local count = 0
        for _, row in ipairs(editor:screen()) do
          count = count + (row:find('LONGEST = 80', 1, true) and row:find('changed', 1, true) and 1 or 0)
        end
        return count == 2
      end)
      assert(vim.deep_equal(one, labels(editor)), vim.inspect({ one, labels(editor) }))
    end,
  },
  {
    ':Toolpath blame line, all and off turn the labels on and off',
    function(start)
      local editor = start({})
      editor:open(source)
      editor:wait_attached()
      assert(next(labels(editor)) == nil)
      editor:type(':Toolpath blame line<CR>')
      editor:wait_row('older than the recording')
      editor:type(':Toolpath blame all<CR>')
      editor:wait_row('LONGEST = 80', 'changed')
      editor:type(':Toolpath blame off<CR>')
      editor:wait('no label', function()
        return next(labels(editor)) == nil
      end)
    end,
  },
  {
    'a document that is saved with another record changes the labels',
    function(start)
      local editor = blamed(start)
      editor:go_to('import unicodedata')
      editor:wait_row('import unicodedata', 'Write letters without their accents')
      editor:command('split slug.path.json')
      editor:go_to('Write letters')
      editor:type('cwSpell<Esc>:w<CR>:q<CR>')
      editor:wait_row('import unicodedata', 'Spell letters without their accents')
    end,
  },
  {
    'a document that another program writes changes the labels at once',
    function(start, folder)
      local editor = blamed(start)
      editor:go_to('import unicodedata')
      editor:wait_row('import unicodedata', 'Write letters without their accents')
      local file = folder .. '/slug.path.json'
      local record = io.open(file):read('*a')
      local other = io.open(file, 'w')
      other:write((record:gsub('Write letters without', 'Spell letters without')))
      other:close()
      editor:wait_row('import unicodedata', 'Spell letters without their accents')
      vim.loop.fs_unlink(file)
      editor:wait('the label to go with the document', function()
        return not editor:row_with('import unicodedata'):find('Spell', 1, true)
      end)
    end,
  },
  {
    ':Toolpath parent goes from a line to the step that wrote it',
    function(start)
      local editor = start({})
      editor:open(source)
      editor:wait_attached()
      editor:go_to('import unicodedata')
      editor:type(':Toolpath parent<CR>')
      editor:wait('the jump to step-3', function()
        return editor:line():find('"id": "step-3"', 1, true)
      end)
    end,
  },
  {
    ':Toolpath blame on a file that no document speaks of says so',
    function(start, folder)
      local other = io.open(folder .. '/other.py', 'w')
      other:write('pass\n')
      other:close()
      local editor = start({})
      editor:open('other.py')
      editor:wait_attached()
      editor:type(':Toolpath blame<CR>')
      editor:wait('the message', function()
        return editor:messages():find('no document speaks of this file', 1, true)
      end)
    end,
  },
}
