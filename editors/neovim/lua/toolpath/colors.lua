-- The colors that tell actors apart, and the highlight groups of the plugin.

local M = {}

-- The colors of actors, by the server's numbers, in GUIs and in terminals of 256 colors. They can be
-- told apart with any of the three color blindnesses; see analysis/drawing/palette.go.
local palettes = {
  light = {
    { '#1921a0', 19 }, { '#dd7608', 172 }, { '#3ca489', 72 }, { '#b865db', 134 },
    { '#12708d', 24 }, { '#721e0b', 52 }, { '#745f0f', 94 }, { '#461c5b', 53 },
  },
  dark = {
    { '#597ce7', 68 }, { '#f59400', 208 }, { '#55c09f', 73 }, { '#ab6897', 132 },
    { '#92effe', 123 }, { '#dc5429', 166 }, { '#dbe78b', 186 }, { '#c1a0fb', 147 },
  },
}

local links = {
  ToolpathBlame = 'Comment',
  ToolpathBlameChanged = 'DiagnosticHint',
  ToolpathBlameNone = 'NonText',
  ToolpathTitle = 'Title',
}

-- The highlight group of one of the server's colors.
function M.group(color)
  return 'ToolpathActor' .. (color + 1)
end

-- Defines the groups that the user or the color scheme has not defined.
local function define()
  for group, target in pairs(links) do
    vim.cmd(('highlight default link %s %s'):format(group, target))
  end
  for i, color in ipairs(palettes[vim.o.background] or palettes.dark) do
    vim.cmd(('highlight default ToolpathActor%d guifg=%s ctermfg=%d'):format(i, color[1], color[2]))
  end
end

-- Defines the actors' groups for another background. A default gives way to nothing that is there
-- already, so those that have our color are cleared before.
local function define_again()
  for i = 1, 8 do
    local group = 'ToolpathActor' .. i
    local shown = vim.fn.synIDattr(vim.fn.hlID(group), 'fg', 'gui')
    if shown == palettes.light[i][1] or shown == palettes.dark[i][1] then
      vim.cmd('highlight clear ' .. group)
    end
  end
  define()
end

local defined = false

-- Defines the groups once, and again whenever a color scheme clears them.
function M.define()
  if defined then
    return
  end
  defined = true
  define()
  local group = vim.api.nvim_create_augroup('toolpath.colors', { clear = true })
  vim.api.nvim_create_autocmd('ColorScheme', { group = group, callback = define })
  vim.api.nvim_create_autocmd('OptionSet', { group = group, pattern = 'background', callback = define_again })
end

return M
