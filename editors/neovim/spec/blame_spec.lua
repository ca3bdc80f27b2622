-- The blame window: who wrote each line of a source file, beside it.

local source = 'src/slug.py'

local function opened(start, options)
  local editor = start(vim.tbl_deep_extend('force', { blame = { debounce = 1 } }, options or {}))
  editor:open(source)
  editor:wait_attached()
  return editor
end

local function blamed(start, options)
  local editor = opened(start, options)
  editor:type(':Toolpath blame<CR>')
  editor:wait_row('import unicodedata', 'step-3')
  return editor
end

-- Adds lines to the source file, so that there is something to scroll.
local function lengthen(folder)
  local long = assert(io.open(folder .. '/' .. source, 'a'))
  for n = 1, 300 do
    long:write('# remark ', n, '\n')
  end
  long:close()
end

-- Waits until the line that holds text is told to have changed since the last step, or since it was saved.
local function wait_changed(editor, text)
  editor:wait('a changed line with ' .. text, function()
    local row = editor:row_with(text)
    return row and (row:find('+changed', 1, true) or row:find('*unsaved', 1, true))
  end)
end

-- The windows of the tab page from left to right: { file type, first line, cursor's line, options that matter }.
local function windows(editor)
  return editor:lua([[
    return vim.tbl_map(function(win)
      local seen = vim.api.nvim_win_call(win, vim.fn.winsaveview)
      local wo = vim.wo[win]
      return {
        filetype = vim.bo[vim.api.nvim_win_get_buf(win)].filetype,
        topline = seen.topline, lnum = seen.lnum,
        wrap = wo.wrap, foldenable = wo.foldenable, scrollbind = wo.scrollbind, cursorbind = wo.cursorbind,
      }
    end, vim.api.nvim_tabpage_list_wins(0))
  ]])
end

local function wait_for_windows(editor, count)
  editor:wait(count .. ' windows', function()
    return #windows(editor) == count
  end)
end

-- Waits until the cursor is in a line, and both windows show the same lines and have the cursor there.
local function wait_together(editor, line)
  editor:wait('both windows at line ' .. line, function()
    local all = windows(editor)
    return #all == 2 and all[1].topline == all[2].topline and all[1].lnum == line and all[2].lnum == line
  end)
end

-- Waits until a floating window holds every one of the texts.
local function wait_float(editor, ...)
  local texts = { ... }
  editor:wait('a window with ' .. table.concat(texts, ' and '), function()
    return editor:lua([[
      local texts = ...
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(win).relative ~= '' then
          local shown = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), '\n')
          local all = true
          for _, text in ipairs(texts) do
            all = all and shown:find(text, 1, true) ~= nil
          end
          return all
        end
      end
      return false
    ]], texts)
  end)
end

-- The highlight groups in the line of the blame window that holds text.
local function groups_at(editor, text)
  return editor:lua([[
    local text = ...
    local namespace = vim.api.nvim_get_namespaces()['toolpath.blame']
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      local bufnr = vim.api.nvim_win_get_buf(win)
      if vim.bo[bufnr].filetype == 'toolpath-blame' then
        for i, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
          if line:find(text, 1, true) then
            return vim.tbl_map(function(mark)
              return mark[4].hl_group
            end, vim.api.nvim_buf_get_extmarks(bufnr, namespace, { i - 1, 0 }, { i - 1, -1 }, { details = true }))
          end
        end
      end
    end
  ]], text)
end

local function color_of(editor, group)
  return editor:lua([[return vim.fn.synIDattr(vim.fn.synIDtrans(vim.fn.hlID(...)), 'fg', 'gui')]], group)
end

return {
  {
    ':Toolpath blame tells beside each line its step, actor and day, and :Toolpath blame closes it',
    function(start)
      local editor = blamed(start)
      editor:wait_row('step-3', 'codex', '2026-11-03', 'import unicodedata')
      editor:wait_row('step-2', 'claude-code', '2026-11-03', 'import re')
      editor:wait_row('step-5', 'mira', '2026-11-03', 'rstrip("-")')
      editor:wait_row('^base', '"""Slugs for the addresses')
      editor:wait_row('+changed', 'LONGEST = 80')
      assert(not editor:row_with('LONGEST = 80'):find('2026', 1, true), 'somebody is named for a line of nobody')
      editor:type(':Toolpath blame<CR>')
      wait_for_windows(editor, 1)
      editor:expect_no_errors()
    end,
  },
  {
    'who committed a line that no step wrote is not named',
    function(start)
      local editor = blamed(start)
      local row = editor:wait_row('^base', 'def slug(title)')
      assert(not row:find('Mira', 1, true) and not row:find('mira', 1, true), row)
    end,
  },
  {
    'the lines stay side by side, whichever window scrolls',
    function(start, folder)
      lengthen(folder)
      local editor = blamed(start)
      editor:type('G')
      wait_together(editor, 321)
      editor:type('<C-w>l')
      editor:type('gg')
      wait_together(editor, 1)
      editor:type('150Gzt')
      wait_together(editor, 150)
      editor:wait_row('+changed', '# remark 129')
      editor:type('<C-w>h<C-d>')
      local line = editor:lua([[return vim.fn.line('.')]])
      wait_together(editor, line)
      assert(line > 150, line)
    end,
  },
  {
    'a window that opens or closes does not part them',
    function(start, folder)
      lengthen(folder)
      local editor = blamed(start)
      editor:type('<C-w>l')
      editor:type('200Gzt')
      wait_together(editor, 200)
      editor:type(':botright split<CR>')
      editor:type('<C-w>p')
      editor:wait('the same first line', function()
        local all = windows(editor)
        return #all == 3 and all[1].topline == all[2].topline
      end)
    end,
  },
  {
    'it opens where the cursor is, far down too',
    function(start, folder)
      lengthen(folder)
      local editor = opened(start)
      editor:type('200Gzz')
      editor:type(':Toolpath blame<CR>')
      editor:wait_row('+changed', '# remark 179')
      wait_together(editor, 200)
    end,
  },
  {
    'wrapped and folded lines are unwrapped and unfolded, and as before when it closes',
    function(start, folder)
      local wide = assert(io.open(folder .. '/' .. source, 'a'))
      wide:write('# ', ('very '):rep(60), 'wide\n')
      wide:close()
      for _, leave in ipairs({ 'q', ':close<CR>', '<C-w>l:edit slug.path.json<CR>', '<CR>' }) do
        local editor = opened(start)
        editor:command('setlocal wrap foldmethod=indent foldenable foldlevel=0')
        editor:go_to('parts = unicodedata')
        editor:type(':Toolpath blame<CR>')
        editor:wait_row('step-3', 'return "".join')
        local during = windows(editor)[2]
        assert(not during.wrap and not during.foldenable and during.scrollbind and during.cursorbind, vim.inspect(during))
        editor:type(leave)
        wait_for_windows(editor, 1)
        if editor:lua([[return vim.fn.expand('%:t')]]) ~= 'slug.py' then
          editor:wait('the document', function()
            return editor:lua([[return vim.fn.expand('%:t')]]) == 'slug.path.json'
          end)
          editor:command('edit ' .. source)
        end
        local after = windows(editor)[1]
        assert(after.wrap and after.foldenable and not after.scrollbind and not after.cursorbind, leave .. vim.inspect(after))
        editor:expect_no_errors()
      end
    end,
  },
  {
    'it goes with the window of the file, which may be the last one',
    function(start)
      local editor = blamed(start)
      editor:command('botright split slug.path.json')
      wait_for_windows(editor, 3)
      editor:type('<C-w>k<C-w>l')
      editor:type(':quit<CR>')
      wait_for_windows(editor, 1)
      editor:command('edit ' .. source)
      editor:type(':Toolpath blame<CR>')
      wait_for_windows(editor, 2)
      -- Something is not saved: Neovim does not end, and what is blamed is there.
      editor:type('<C-w>lA # unsaved<Esc>:quit<CR>')
      wait_for_windows(editor, 1)
      editor:wait('the file', function()
        return vim.endswith(editor:lua([[return vim.api.nvim_buf_get_name(0)]]), source)
      end)
      assert(not windows(editor)[1].scrollbind)
    end,
  },
  {
    'an unsaved edit moves the lines along at once, and is told as one when the typing pauses',
    function(start)
      local editor = blamed(start)
      editor:type('<C-w>l')
      editor:go_to('import re')
      editor:type('O# A remark.<CR># Another one.')
      editor:wait_row('step-2', 'import re')
      editor:type('<Esc>')
      wait_changed(editor, '# Another one.')
      editor:wait_row('step-3', 'import unicodedata')
      editor:type('uu')
      editor:wait('the edit to go', function()
        return not editor:row_with('# Another one.')
      end)
      editor:wait_row('step-2', 'import re')
      editor:type('ggdG')
      editor:wait('the lines to go', function()
        return not editor:row_with('codex')
      end)
      editor:type('u')
      editor:wait_row('step-3', 'import unicodedata')
      editor:type(':edit!<CR>')
      editor:wait_row('step-3', 'import unicodedata')
      editor:expect_no_errors()
    end,
  },
  {
    'thousands of edits at once are followed too',
    function(start, folder)
      lengthen(folder)
      local editor = blamed(start)
      editor:type('<C-w>l')
      editor:type(':global/^# remark/delete<CR>')
      editor:wait('the remarks to go', function()
        return not editor:row_with('# remark')
      end)
      editor:wait_row('^base', 'return text == slug(text)')
      editor:type('u')
      editor:type('G')
      wait_together(editor, 321)
      wait_changed(editor, '# remark 300')
      editor:expect_no_errors()
    end,
  },
  {
    'a bar above the file, and wide characters in names, move nothing',
    function(start, folder)
      local file = folder .. '/slug.path.json'
      local record = io.open(file):read('*a')
      local other = io.open(file, 'w')
      other:write((record:gsub('agent:codex', 'agent:机器人')))
      other:close()
      local editor = opened(start)
      if editor:lua([[return vim.fn.exists('+winbar')]]) == 1 then
        editor:command('setlocal winbar=%f')
      end
      editor:type(':Toolpath blame<CR>')
      local row = editor:wait_row('step-3', '机器人', 'import unicodedata')
      local next_row = editor:wait_row('step-2', 'claude-code', 'import re')
      local function column_of_day(line)
        return vim.fn.strdisplaywidth((line:match('^(.-)2026')))
      end
      assert(column_of_day(row) == column_of_day(next_row), row .. '\n' .. next_row)
      editor:expect_no_errors()
    end,
  },
  {
    'a record that changes is told at once',
    function(start, folder)
      local editor = blamed(start)
      local file = folder .. '/slug.path.json'
      local record = io.open(file):read('*a')
      local other = io.open(file, 'w')
      other:write((record:gsub('agent:codex', 'agent:other')))
      other:close()
      editor:wait_row('step-3', 'other', 'import unicodedata')
    end,
  },
  {
    '<CR> goes to the step in its document, and the jump list leads back',
    function(start)
      local editor = opened(start)
      editor:go_to('import unicodedata')
      editor:type(':Toolpath blame<CR>')
      editor:wait_row('import unicodedata', 'step-3')
      editor:type('<CR>')
      editor:wait_line('"id": "step-3"')
      wait_for_windows(editor, 1)
      editor:type('<C-o>')
      editor:wait_line('import unicodedata')
    end,
  },
  {
    'o goes to the step in a split that is bound to nothing',
    function(start)
      local editor = opened(start)
      editor:go_to('import unicodedata')
      editor:type(':Toolpath blame<CR>')
      editor:wait_row('import unicodedata', 'step-3')
      editor:type('o')
      editor:wait_line('"id": "step-3"')
      wait_for_windows(editor, 3)
      local state = editor:lua([[return { vim.wo.scrollbind, vim.wo.cursorbind, vim.wo.wrap }]])
      assert(vim.deep_equal(state, { false, false, true }), vim.inspect(state))
    end,
  },
  {
    'd tells what the step of the line did',
    function(start)
      local editor = opened(start)
      editor:go_to('import unicodedata')
      editor:type(':Toolpath blame<CR>')
      editor:wait_row('import unicodedata', 'step-3')
      editor:type('d')
      editor:wait_file('step-3.diff')
      assert(vim.tbl_contains(editor:lines(), '+import unicodedata'), table.concat(editor:lines(), '\n'))
      assert(editor:lua([[return vim.bo.filetype]]) == 'diff')
    end,
  },
  {
    'a line that nobody is known to have written leads nowhere, and says so',
    function(start)
      local editor = opened(start)
      editor:go_to('LONGEST = 80')
      editor:type(':Toolpath blame<CR>')
      editor:wait_row('+changed', 'LONGEST = 80')
      for _, key in ipairs({ '<CR>', 'o', 'd', 'p' }) do
        editor:command('messages clear')
        editor:type(key)
        editor:wait_message('no step is known to have written this line')
      end
      wait_for_windows(editor, 2)
    end,
  },
  {
    'p blames the file as it was before the step, again and again, and <BS> leads back',
    function(start)
      local editor = opened(start)
      editor:go_to('words = NOT_IN_A_WORD')
      editor:type(':Toolpath blame<CR>')
      editor:wait_row('step-3', 'words = NOT_IN_A_WORD.sub("", plain(title))')
      editor:type('p')
      editor:wait_row('step-2', 'words = NOT_IN_A_WORD.sub("", title)')
      assert(not editor:row_with('unicodedata'), 'that came later')
      editor:type('p')
      editor:wait_row('step-1', 'words = title.strip()')
      editor:type('p')
      editor:wait_row('^base', 'return title.lower()')
      wait_for_windows(editor, 2)
      editor:type('<BS>')
      editor:wait_row('step-1', 'words = title.strip()')
      editor:type('<BS><BS>')
      editor:wait_row('step-3', 'words = NOT_IN_A_WORD.sub("", plain(title))')
      editor:type('<BS>')
      editor:wait_message('this was blamed first')
      editor:type('q')
      wait_for_windows(editor, 1)
      assert(not windows(editor)[1].scrollbind)
      editor:expect_no_errors()
    end,
  },
  {
    'from a file as it was before a step, < goes on to the step before that',
    function(start)
      local editor = opened(start)
      editor:go_to('words = NOT_IN_A_WORD')
      editor:type(':Toolpath blame<CR>')
      editor:wait_row('step-3', 'words = NOT_IN_A_WORD.sub("", plain(title))')
      editor:type('p')
      editor:wait_row('step-2', 'words = NOT_IN_A_WORD.sub("", title)')
      editor:type('<C-w>l<lt>')
      editor:wait('the file as of step-2', function()
        return (editor:lua([[return vim.b.toolpath_title]]) or ''):find('as of step-2', 1, true)
      end)
      editor:wait_line('words = NOT_IN_A_WORD.sub("", title)')
      wait_for_windows(editor, 1)
      editor:expect_no_errors()
    end,
  },
  {
    'K tells all of the line, and g? the keys',
    function(start)
      local editor = opened(start)
      editor:go_to('import unicodedata')
      editor:type(':Toolpath blame<CR>')
      editor:wait_row('import unicodedata', 'step-3')
      editor:type('K')
      wait_float(editor, 'recorded, exact', 'agent:codex')
      editor:type('j')
      wait_for_windows(editor, 2) -- the floating one has gone
      editor:type('g?')
      wait_float(editor, 'blame the file as it was before the step')
      editor:expect_no_errors()
    end,
  },
  {
    'actors have the colors of the server, which highlight groups may change',
    function(start)
      local editor = opened(start)
      editor:command('highlight ToolpathActor6 guifg=#123456')
      editor:type(':Toolpath blame<CR>')
      editor:wait_row('import unicodedata', 'step-3')
      local mira, claude, codex = groups_at(editor, 'mira'), groups_at(editor, 'claude'), groups_at(editor, 'codex')
      assert(mira[1] == 'ToolpathActor1' and claude[1] == 'ToolpathActor2' and codex[1] == 'ToolpathActor6', vim.inspect({ mira, claude, codex }))
      assert(groups_at(editor, 'base')[1] == 'ToolpathBlameNone')
      assert(groups_at(editor, 'changed')[1] == 'ToolpathBlameChanged')
      assert(color_of(editor, 'ToolpathActor6') == '#123456')
      assert(color_of(editor, 'ToolpathActor1') == '#597ce7', color_of(editor, 'ToolpathActor1'))
      editor:command('set background=light')
      assert(color_of(editor, 'ToolpathActor1') == '#1921a0', color_of(editor, 'ToolpathActor1'))
      editor:command('colorscheme desert')
      assert(color_of(editor, 'ToolpathActor1') ~= '', 'a color scheme took the colors away')
    end,
  },
  {
    'a document, and a file that none speaks of, have nothing to blame',
    function(start, folder)
      local other = io.open(folder .. '/other.py', 'w')
      other:write('pass\n')
      other:close()
      local editor = start({})
      for _, file in ipairs({ 'slug.path.json', 'other.py' }) do
        editor:open(file)
        editor:wait_attached()
        editor:command('messages clear')
        editor:type(':Toolpath blame<CR>')
        editor:wait_message('no document speaks of this file')
        wait_for_windows(editor, 1)
      end
    end,
  },
  {
    'a long file is blamed as a whole',
    function(start, folder)
      local long = assert(io.open(folder .. '/' .. source, 'a'))
      for n = 1, 20000 do
        long:write('# remark ', n, '\n')
      end
      long:close()
      local editor = blamed(start)
      editor:type('G')
      editor:wait_row('+changed', '# remark 20000')
      editor:type('<C-w>lGox = 1<Esc>')
      wait_changed(editor, 'x = 1')
    end,
  },
}
