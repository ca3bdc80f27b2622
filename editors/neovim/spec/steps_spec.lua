-- Steps as lists, as a graph, as diffs, and the file as a step left it.

local source, document = 'src/slug.py', 'slug.path.json'

local function opened(start, file)
  local editor = start({ blame = { debounce = 1 } })
  editor:open(file or source)
  editor:wait_attached()
  editor:replace_select()
  return editor
end

-- Waits until the current buffer is the file as of a step.
local function wait_as_of(editor, step)
  editor:wait('the file as of ' .. step, function()
    local words = editor:lua([[return vim.b.toolpath_title]])
    return words and words:find('slug.py as of ' .. step, 1, true)
  end)
end

local function holds(lines, text)
  return table.concat(lines, '\n'):find(text, 1, true) ~= nil
end

local function list(editor)
  return editor:lua([[return vim.tbl_map(function(item)
    return { text = item.text, lnum = item.lnum, file = vim.fn.bufname(item.bufnr) }
  end, vim.fn.getqflist())]])
end

-- Waits until Neovim shows a quickfix list of n entries, and returns it.
local function wait_list(editor, n)
  return editor:wait('a list of ' .. n, function()
    local all = list(editor)
    return #all == n and editor:lua([[return vim.bo.buftype]]) == 'quickfix' and all
  end)
end

return {
  {
    ':Toolpath at-step with a step opens the file as the step left it',
    function(start)
      local editor = opened(start)
      editor:go_to('return "-".join')
      editor:type(':Toolpath at-step step-2<CR>')
      wait_as_of(editor, 'step-2')
      editor:wait_row('slug.py as of step-2', 'claude-code')
      editor:wait_line('return "-".join(words)')
      local lines = editor:lines()
      assert(holds(lines, 'NOT_IN_A_WORD.sub("", title)') and not holds(lines, 'unicodedata'), table.concat(lines, '\n'))
      local state = editor:lua([[return { vim.bo.filetype, vim.bo.buftype, vim.bo.modifiable, vim.bo.modified }]])
      assert(vim.deep_equal(state, { 'python', 'nofile', false, false }), vim.inspect(state))
      editor:type('<C-o>')
      editor:wait_file(source)
      editor:expect_no_errors()
    end,
  },
  {
    ':Toolpath at-step without one takes the step that wrote the line',
    function(start)
      local editor = opened(start)
      editor:go_to('words = NOT_IN_A_WORD')
      editor:type(':vertical Toolpath at-step<CR>')
      editor:wait('a split', function()
        return #editor:lua([[return vim.api.nvim_tabpage_list_wins(0)]]) == 2
      end)
      editor:wait_line('words = NOT_IN_A_WORD.sub("", plain(title))')
      assert(not holds(editor:lines(), 'LONGEST'))
      editor:command('close')
      editor:go_to('LONGEST = 80')
      editor:type(':Toolpath at-step<CR>')
      editor:wait_message('no step is known to have written this line')
    end,
  },
  {
    ':Toolpath at-step knows the steps of the file, and no other',
    function(start)
      local editor = opened(start)
      local ids = editor:lua([[return vim.fn.getcompletion('Toolpath at-step ', 'cmdline')]])
      assert(vim.deep_equal(ids, { 'step-5', 'step-4', 'step-3', 'step-2', 'step-1' }), vim.inspect(ids))
      editor:type(':Toolpath at-step step-9<CR>')
      editor:wait_message('no step "step-9" touched this file')
    end,
  },
  {
    ':Toolpath at-step in a document opens the file whose change the cursor is in',
    function(start)
      local editor = opened(start, document)
      editor:go_to('"src/slug.py"', 2)
      editor:type(':Toolpath at-step<CR>')
      editor:wait_file('slug.py')
      assert(holds(editor:lines(), 'NOT_IN_A_WORD') and not holds(editor:lines(), 'unicodedata'))
      editor:type('<C-o>')
      editor:wait_file(document)
      editor:type(':Toolpath at-step step-1<CR>')
      wait_as_of(editor, 'step-1')
      assert(holds(editor:lines(), 'words = title.strip()') and not holds(editor:lines(), 'NOT_IN_A_WORD'))
      editor:type('<C-o>')
      editor:wait_file(document)
      editor:go_to('"id": "graph-slugs"')
      editor:type(':Toolpath at-step<CR>')
      editor:wait_message('no changed file here')
    end,
  },
  {
    'the file as of a step can be read again, and blamed',
    function(start)
      local editor = opened(start)
      editor:type(':Toolpath at-step step-4<CR>')
      wait_as_of(editor, 'step-4')
      editor:type(':edit<CR>')
      editor:wait('the text', function()
        return holds(editor:lines(), 'unicodedata') and not holds(editor:lines(), 'LONGEST')
      end)
      editor:type(':Toolpath blame<CR>')
      editor:wait_row('step-3', 'codex', 'import unicodedata')
      editor:expect_no_errors()
    end,
  },
  {
    ':Toolpath previous and next go along the touches of the line, and so do < and >',
    function(start)
      local editor = opened(start)
      editor:go_to('words = NOT_IN_A_WORD')
      editor:type(':Toolpath previous<CR>')
      wait_as_of(editor, 'step-3')
      editor:wait_line('words = NOT_IN_A_WORD.sub("", plain(title))')
      editor:type(':Toolpath previous<CR>')
      wait_as_of(editor, 'step-2')
      editor:wait_row('slug.py as of step-2')
      editor:wait_line('words = NOT_IN_A_WORD.sub("", title)')
      editor:type('<lt>')
      editor:wait_line('words = title.strip()')
      editor:type('<lt>')
      editor:wait_message('no earlier step is known')
      editor:type('>')
      editor:wait_line('words = NOT_IN_A_WORD.sub("", title)')
      editor:type('>')
      editor:wait_line('words = NOT_IN_A_WORD.sub("", plain(title))')
      editor:type('>')
      editor:wait_file('/' .. source)
      editor:wait_line('words = NOT_IN_A_WORD.sub("", plain(title))')
      editor:expect_no_errors()
    end,
  },
  {
    ':Toolpath line-history offers the touches of the line with its text then, and opens the step',
    function(start)
      local editor = opened(start)
      editor:go_to('words = NOT_IN_A_WORD')
      editor:type(':Toolpath line-history<CR>')
      local offered = editor:wait_choices()
      assert(offered.kind == 'toolpath.touch' and #offered.lines == 3, vim.inspect(offered))
      assert(offered.lines[1]:find('step-3 codex edited', 1, true) and offered.lines[1]:find('plain(title)', 1, true), offered.lines[1])
      assert(offered.lines[3]:find('step-1 mira wrote', 1, true) and offered.lines[3]:find('words = title.strip()', 1, true), offered.lines[3])
      editor:choose(2)
      editor:wait_line('"id": "step-2"')
      editor:type('<C-o>')
      editor:go_to('"""Slugs')
      editor:type(':Toolpath line-history<CR>')
      editor:wait_message('no step is known to have touched this line')
    end,
  },
  {
    ':Toolpath line-history list lists them for the window',
    function(start)
      local editor = opened(start)
      editor:go_to('words = NOT_IN_A_WORD')
      editor:type(':Toolpath line-history list<CR>')
      editor:wait('the location list', function()
        return editor:lua([[return vim.fn.getloclist(0, { size = 0 }).size]]) == 3
      end)
      editor:wait_row('step-1 mira wrote', 'words = title.strip()')
      editor:type(':lfirst<CR>')
      editor:wait_line('"id": "step-3"')
    end,
  },
  {
    'the stock vim.ui.select does as well',
    function(start)
      local editor = start({})
      editor:open(source)
      editor:wait_attached()
      editor:go_to('words = NOT_IN_A_WORD')
      editor:type(':Toolpath line-history<CR>')
      editor:answer('3<CR>')
      editor:wait_line('"id": "step-1"')
    end,
  },
  {
    ':Toolpath unreviewed lists what agents wrote and nobody looked at, file by file, and :cnext goes along',
    function(start)
      local editor = opened(start)
      editor:type(':Toolpath unreviewed<CR>')
      local all = wait_list(editor, 7)
      assert(all[1].file == 'docs/slugs.md' and all[1].lnum == 1, vim.inspect(all[1]))
      assert(all[3].file == source and all[3].lnum == 4, vim.inspect(all[3]))
      assert(all[3].text:find('codex · 1 line · 2026-11-03 · Write letters without their accents', 1, true), all[3].text)
      local title = editor:lua([[return vim.fn.getqflist({ title = 0 }).title]])
      assert(title == 'Toolpath: 16 unreviewed lines', title)
      editor:type(':cfirst<CR>')
      editor:wait_file('docs/slugs.md')
      editor:type(':cnext<CR>')
      editor:wait_line('import re')
      editor:type(':cnext<CR>')
      editor:wait_line('import unicodedata')
    end,
  },
  {
    ':Toolpath unreviewed file keeps to the file, and an edit of a human leaves less',
    function(start)
      local editor = opened(start)
      editor:type(':Toolpath unreviewed file<CR>')
      wait_list(editor, 6)
      editor:type(':cclose<CR>')
      editor:go_to('words = NOT_IN_A_WORD')
      editor:type('A  # looked at<Esc>')
      editor:type(':Toolpath unreviewed file<CR>')
      wait_list(editor, 5)
    end,
  },
  {
    ':Toolpath unreviewed from a buffer of no workspace lists those of all workspaces',
    function(start)
      local editor = opened(start)
      editor:command('enew')
      editor:type(':Toolpath unreviewed<CR>')
      wait_list(editor, 7)
    end,
  },
  {
    ':Toolpath unreviewed where nothing is left says so',
    function(start, folder)
      local file = folder .. '/' .. document
      local record = io.open(file):read('*a')
      local reviewed = io.open(file, 'w')
      reviewed:write((record:gsub('agent:', 'human:')))
      reviewed:close()
      local editor = opened(start)
      editor:type(':Toolpath unreviewed<CR>')
      editor:wait_message('nothing is left to review')
    end,
  },
  {
    ':Toolpath graph draws the steps, and <CR> goes to one',
    function(start)
      local editor = opened(start, document)
      editor:go_to('"id": "step-2"')
      editor:type(':Toolpath graph<CR>')
      editor:wait_row('◆', 'step-3', 'Codex', 'Write letters without their accents')
      editor:wait_row('●', 'step-5', 'head')
      editor:wait_row('◇', 'step-2-ascii', 'dead end')
      -- The cursor is on the step that it was on in the document.
      editor:wait_line('step-2 · ')
      editor:go_to('step-4')
      editor:type('<CR>')
      editor:wait_line('"id": "step-4"')
      editor:type('<C-w>j')
      editor:go_to('step-3')
      editor:type('d')
      editor:wait_file('step-3.diff')
      editor:type('<C-w>jq')
      editor:wait('the graph to close', function()
        return #editor:lua([[return vim.api.nvim_tabpage_list_wins(0)]]) == 1
      end)
      editor:expect_no_errors()
    end,
  },
  {
    'the signs of a graph have the colors of actors, behind the lanes of others too',
    function(start)
      local editor = opened(start, document)
      editor:type(':Toolpath graph<CR>')
      editor:wait_row('◇', 'step-2-ascii')
      local marked = editor:lua([[
        local namespace = vim.api.nvim_get_namespaces()['toolpath.graph']
        local all = {}
        for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
          local line = vim.api.nvim_buf_get_lines(0, mark[2], mark[2] + 1, false)[1]
          all[#all + 1] = line:sub(mark[3] + 1, mark[4].end_col) .. ' ' .. mark[4].hl_group
        end
        return all
      ]])
      table.remove(marked, 1) -- the title of the path
      local want = { '● ToolpathActor1', '■ ToolpathActor3', '◆ ToolpathActor6', '◇ ToolpathActor2', '◆ ToolpathActor2', '● ToolpathActor1' }
      assert(vim.deep_equal(marked, want), vim.inspect(marked))
    end,
  },
  {
    ':Toolpath graph in a source file draws the document of its line, and follows it',
    function(start, folder)
      local editor = opened(start)
      editor:go_to('import unicodedata')
      editor:type(':vertical Toolpath graph<CR>')
      editor:wait_line('step-3 · ')
      local file = folder .. '/' .. document
      local record = io.open(file):read('*a')
      local other = io.open(file, 'w')
      other:write((record:gsub('Write letters without', 'Spell letters without')))
      other:close()
      editor:wait('the new intent', function()
        return holds(editor:lines(), 'Spell letters without')
      end)
    end,
  },
  {
    ':Toolpath diff tells what a step did, from its document and from a line',
    function(start)
      local editor = opened(start, document)
      editor:go_to('"id": "step-2"')
      editor:type(':silent Toolpath diff<CR>')
      editor:wait_file('step-2.diff')
      assert(#editor:lua([[return vim.api.nvim_tabpage_list_wins(0)]]) == 1, 'nobody asked for a split')
      assert(holds(editor:lines(), '+import re'))
      editor:open(source)
      editor:go_to('import unicodedata')
      editor:type(':Toolpath diff<CR>')
      editor:wait_file('step-3.diff')
      assert(holds(editor:lines(), '+import unicodedata'))
    end,
  },
  {
    ':Toolpath deleted tells what once stood above a line',
    function(start, folder)
      local file = assert(io.open(folder .. '/gone.path.json', 'w'))
      file:write([[
{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "b"}, "steps": [
  {"step": {"id": "a", "actor": "human:mira", "timestamp": "2026-11-03T09:12:00Z"},
   "change": {"gone.txt": {"structural": {"type": "file.write", "operation": "add", "after": "one\ntwo\nthree\n"}}}},
  {"step": {"id": "b", "parents": ["a"], "actor": "agent:codex", "timestamp": "2026-11-03T09:13:00Z"},
   "change": {"gone.txt": {"raw": "@@ -1,3 +1,2 @@\n one\n-two\n three\n"}}}
]}]}
]])
      file:close()
      local text = assert(io.open(folder .. '/gone.txt', 'w'))
      text:write('one\nthree\n')
      text:close()
      local editor = opened(start, 'gone.txt')
      editor:type(':Toolpath deleted<CR>')
      editor:wait_message('no line is known to have been deleted above this one')
      editor:type('j:Toolpath deleted<CR>')
      editor:wait('the lines', function()
        return holds(editor:lines(), '-two') and holds(editor:lines(), 'codex')
      end)
      assert(editor:lua([[return vim.bo.filetype]]) == 'diff')
    end,
  },
  {
    'a lens at a step opens what it did',
    function(start)
      local editor = start({ settings = { toolpath = { codeLens = { steps = true } } } })
      editor:open(document)
      editor:wait_attached()
      editor:replace_select()
      editor:wait_row('show diff')
      editor:go_to('"id": "step-2"')
      editor:type(':lua vim.lsp.codelens.run()<CR>')
      for i, line in ipairs(editor:wait_choices().lines) do
        if line:find('show diff', 1, true) then
          editor:choose(i)
          break
        end
      end
      editor:wait_file('step-2.diff')
    end,
  },
  {
    'without setup() the commands do as well, where vim.lsp.enable starts the server',
    function(start)
      local editor = start(nil)
      if editor:lua([[return vim.fn.has('nvim-0.11')]]) == 0 then
        return
      end
      editor:command([[lua vim.lsp.enable('toolpath')]])
      editor:open(source)
      editor:wait_attached()
      editor:type(':Toolpath at-step step-2<CR>')
      wait_as_of(editor, 'step-2')
      editor:type(':Toolpath blame<CR>')
      editor:wait_row('step-2', 'import re')
      editor:expect_no_errors()
    end,
  },
  {
    ':Toolpath parent, child and head lead on from a line of the file, now and as of a step',
    function(start)
      local editor = opened(start)
      editor:go_to('import unicodedata')
      editor:type(':Toolpath child<CR>')
      editor:wait_line('"id": "step-4"')
      editor:open(source)
      editor:go_to('import unicodedata')
      editor:type(':Toolpath head<CR>')
      editor:wait_line('"id": "step-5"')
      editor:open(source)
      editor:type(':Toolpath at-step step-2<CR>')
      wait_as_of(editor, 'step-2')
      editor:go_to('import re')
      editor:type(':Toolpath parent<CR>')
      editor:wait_line('"id": "step-2"')
    end,
  },
  {
    ':Toolpath pick offers the steps of the file or document, the last one first',
    function(start)
      local editor = opened(start)
      editor:type(':Toolpath pick<CR>')
      local offered = editor:wait_choices()
      assert(#offered.lines == 5 and offered.lines[1] == 'step-5 · mira · 2026-11-03 · Keep slugs short enough for a URL', vim.inspect(offered))
      editor:choose(3)
      editor:wait_line('"id": "step-3"')
      editor:type(':Toolpath pick steps<CR>')
      assert(#editor:wait_choices().lines == 6)
    end,
  },
  {
    ':Toolpath pick actors offers who took steps, and then the steps',
    function(start)
      local editor = opened(start, document)
      editor:type(':Toolpath pick actors<CR>')
      local actors = editor:wait_choices()
      assert(vim.tbl_contains(actors.lines, 'human:mira · 2 steps') and vim.tbl_contains(actors.lines, 'agent:codex · 1 step'), vim.inspect(actors))
      for i, line in ipairs(actors.lines) do
        if line == 'human:mira · 2 steps' then
          editor:choose(i)
        end
      end
      local steps = editor:wait_choices()
      assert(#steps.lines == 2 and steps.lines[2]:find('step-1', 1, true), vim.inspect(steps))
      editor:choose(2)
      editor:wait_line('"id": "step-1"')
    end,
  },
  {
    ':Toolpath pick workspace finds steps of all documents by intent, id or actor',
    function(start)
      local editor = opened(start)
      editor:type(':Toolpath pick workspace short enough<CR>')
      local offered = editor:wait_choices()
      assert(offered.lines[1]:find('step-5', 1, true) and offered.lines[1]:find(document, 1, true), vim.inspect(offered))
      editor:choose(1)
      editor:wait_line('"id": "step-5"')
      editor:type(':Toolpath pick workspace zzzz<CR>')
      editor:wait_message('no step matches "zzzz"')
    end,
  },
  {
    ':Toolpath pick documents offers the documents of the workspace',
    function(start)
      local editor = opened(start)
      editor:type(':Toolpath pick documents<CR>')
      local offered = editor:wait_choices()
      assert(vim.deep_equal(offered.lines, { 'slug.path.json · 6 steps' }), vim.inspect(offered))
      editor:choose(1)
      editor:wait_file(document)
    end,
  },
  {
    'places after characters outside the BMP are meant and found where they are',
    function(start, folder)
      local line = '{"graph":{"id":"g"},"paths":[{"path":{"id":"𝔘𝔫𝔦","head":"b"},"steps":['
        .. '{"meta":{"intent":"𝔘𝔫𝔦𝔠𝔬𝔡𝔢"},"step":{"id":"a","actor":"human:mira","timestamp":"2026-11-03T09:12:00Z"},"change":{}},'
        .. '{"meta":{"intent":"𝔘𝔫𝔦𝔠𝔬𝔡𝔢"},"step":{"id":"b","parents":["a"],"actor":"human:mira","timestamp":"2026-11-03T09:13:00Z"},"change":{}}]}]}'
      local file = assert(io.open(folder .. '/line.path.json', 'w'))
      file:write(line, '\n')
      file:close()
      local editor = opened(start, 'line.path.json')
      editor:go_to('"id":"b"')
      editor:type(':Toolpath parent<CR>')
      local want = line:find('"a"', 1, true) - 1
      editor:wait('the cursor on the step', function()
        return editor:lua([[return vim.api.nvim_win_get_cursor(0)[2] ]]) == want
      end)
      editor:type(':Toolpath graph<CR>')
      editor:wait_line('● ')
      editor:go_to('b · ')
      editor:type('<CR>')
      want = line:find('"b","parents"', 1, true) - 1
      editor:wait('the cursor on the step', function()
        return editor:lua([[return vim.api.nvim_win_get_cursor(0)[2] ]]) == want
      end)
    end,
  },
}
